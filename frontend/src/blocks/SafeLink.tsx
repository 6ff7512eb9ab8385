import type { ReactNode } from "react";
import { texts } from "../texts";
import { LinkIcon } from "../ui/icons";
import { safeUrl } from "./inert";
import styles from "./parts.module.css";

/** A link somebody else gave. One that is not safe to follow is only its text. Where it leads is its tooltip. */
export function SafeLink({ href, children }: { href: string | null | undefined; children: ReactNode }) {
  const url = safeUrl(href);
  if (url === null) return <span>{children}</span>;
  return (
    <a
      className={styles.link}
      href={url.href}
      title={url.hostname}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      referrerPolicy="no-referrer"
    >
      {children}
      <LinkIcon />
      <span className="visually-hidden">{texts.blocks.newTab}</span>
    </a>
  );
}
