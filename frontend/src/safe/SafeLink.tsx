import type { ReactNode } from "react";
import { texts } from "../texts";
import { LinkIcon } from "../ui/icons";
import { safeUrl } from "./inert";
import styles from "./SafeLink.module.css";

/**
 * A link somebody else gave. One that is not safe to follow is only its text. Where it leads is its tooltip. `inText`:
 * it stands among an answer's words, where it looks like any link and may be a mail address.
 */
export function SafeLink({
  href,
  inText = false,
  children,
}: {
  href: string | null | undefined;
  inText?: boolean;
  children: ReactNode;
}) {
  const url = safeUrl(href, { mail: inText });
  if (url === null) return <span dir="auto">{children}</span>;
  return (
    <a
      className={inText ? undefined : styles.link}
      href={url.href}
      title={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      referrerPolicy="no-referrer"
      dir="auto"
    >
      {children}
      {!inText && (
        <>
          <LinkIcon />
          <span className="visually-hidden">{texts.ui.newTab}</span>
        </>
      )}
    </a>
  );
}
