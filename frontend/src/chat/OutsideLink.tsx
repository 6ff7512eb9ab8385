import type { ReactNode } from "react";
import { safeHref } from "./safety";

/** A link to another site, or its words if it is none to follow. */
export function OutsideLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const safe = safeHref(href);
  if (safe === null) return <span dir="auto">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow ugc" title={safe} dir="auto">
      {children}
    </a>
  );
}
