import type { ReactNode } from "react";
import { texts } from "../texts";
import { Button } from "./Button";
import styles from "./Confirmation.module.css";
import { advice, inWords } from "./fault";

/** What went wrong, in the words of who noticed, what to do, and a way to try again where that can help. */
export function Fault({
  error,
  onRetry,
  children,
}: {
  error: Error;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const what = advice(error);
  return (
    <div className={styles.fault} role="alert">
      <p dir="auto">{inWords(error)}</p>
      {what !== null && <p>{what}</p>}
      {children}
      {onRetry && (
        <Button small onClick={onRetry}>
          {texts.ui.tryAgain}
        </Button>
      )}
    </div>
  );
}
