import { Component, type ReactNode } from "react";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { PartNotLoaded } from "../ui/later";
import styles from "./Notice.module.css";

/**
 * Keeps a fault in one part from taking the page with it. `page`: this is the last one, so it offers a reload;
 * `fallback` is shown below the note that the part could not be.
 */
export class ErrorBoundary extends Component<
  { children: ReactNode; page?: boolean; fallback?: ReactNode },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  private readonly again = () => {
    if (this.state.error instanceof PartNotLoaded) this.state.error.forget();
    this.setState({ error: null });
  };

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
    const missing = error instanceof PartNotLoaded;
    return (
      <>
        <p className={styles.part} role="note" data-testid="broken-part">
          {missing ? texts.shell.partNotLoaded : texts.shell.brokenPart}{" "}
          <Button small onClick={this.again}>
            {texts.ui.tryAgain}
          </Button>{" "}
          {missing && (
            <Button small onClick={() => location.reload()}>
              {texts.shell.reload}
            </Button>
          )}
        </p>
        {this.props.fallback}
      </>
    );
  }
}
