import { Link } from "wouter";
import { texts } from "../texts";
import styles from "./Notice.module.css";

/** An address that leads nowhere. */
export function PageNotFound() {
  return (
    <main>
      <NotFound />
    </main>
  );
}

/** The same within a page: there is no such conversation, or it is somebody else's. */
export function NotFound() {
  return (
    <div className={styles.page} data-testid="not-found">
      <title>{texts.shell.title(texts.shell.notFound)}</title>
      <h2>{texts.shell.notFound}</h2>
      <p>{texts.shell.notFoundHint}</p>
      <Link href="/">{texts.shell.newChat}</Link>
    </div>
  );
}
