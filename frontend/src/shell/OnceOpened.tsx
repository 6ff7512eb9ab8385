import { type ReactNode, Suspense, useState } from "react";
import { ErrorBoundary } from "./ErrorBoundary";

/** A part that is fetched when it is first opened; then it stays, so that it can close as it likes. */
export function OnceOpened({ open, children }: { open: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  if (!opened) return null;
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}
