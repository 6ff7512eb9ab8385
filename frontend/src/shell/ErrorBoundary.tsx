import { Component, type ReactNode } from "react";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import styles from "./Notice.module.css";

/** Keeps a fault in one part from taking the page with it. `page`: this is the last one, so it offers a reload. */
export class ErrorBoundary extends Component<
  { children: ReactNode; page?: boolean },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (this.props.page) {
      return (
        <main className={styles.page}>
          <h1>{texts.shell.brokenPage}</h1>
          <p>{texts.shell.brokenPageHint}</p>
          <Button look="primary" onClick={() => location.reload()}>
            {texts.shell.reload}
          </Button>
          <p className={styles.cause}>{error.message}</p>
        </main>
      );
    }
    return (
      <p className={styles.part} role="note">
        {texts.shell.brokenPart}{" "}
        <Button small onClick={() => this.setState({ error: null })}>
          {texts.ui.tryAgain}
        </Button>
      </p>
    );
  }
}
