import { type About, ApiError, Client } from "@signalbox/client";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { asError } from "../state/conversations";
import { storedKey } from "../state/storage";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { Late } from "../ui/Late";
import { KeyEntry } from "./KeyEntry";
import styles from "./Notice.module.css";

interface Entered {
  client: Client;
  about: About;
  leave: (() => void) | null;
}

/** Asks the server what it is and, where it wants one, the user for a key. Then the chat begins. */
export function Entrance({ children }: { children: (entered: Entered) => ReactNode }) {
  const [key, setKey] = useState(storedKey.read);
  const [about, setAbout] = useState<About | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const client = useMemo(() => new Client(key === null ? {} : { key }), [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` asks again.
  useEffect(() => {
    let current = true;
    setError(null);
    client.about().then(
      (found) => current && setAbout(found),
      (cause: unknown) => current && setError(asError(cause)),
    );
    return () => {
      current = false;
    };
  }, [client, tries]);

  const forget = () => {
    storedKey.forget();
    setAbout(null);
    setKey(null);
  };
  const enter = (next: string, remember: boolean) => {
    storedKey.keep(next, remember);
    setAbout(null);
    setKey(next);
  };

  const refused = error instanceof ApiError && error.status === 401;
  if (refused || (about !== null && about.auth === "key" && !about.signedIn)) {
    return <KeyEntry refused={key !== null} onEnter={enter} />;
  }
  if (error !== null) return <Unreachable error={error} onTryAgain={() => setTries(tries + 1)} />;
  if (about === null) return <Late>{<p className={styles.page}>{texts.shell.connecting}</p>}</Late>;
  return children({ client, about, leave: about.auth === "key" ? forget : null });
}

function Unreachable({ error, onTryAgain }: { error: Error; onTryAgain: () => void }) {
  return (
    <main className={styles.page}>
      <h1>{texts.shell.unreachable}</h1>
      <p>{error.message}</p>
      <Button look="primary" onClick={onTryAgain}>
        {texts.ui.tryAgain}
      </Button>
    </main>
  );
}
