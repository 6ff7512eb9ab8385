import { type About, ApiError, Client } from "@signalbox/client";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { forgetAll, storedKey } from "../state/storage";
import { OtherTabs } from "../state/tabs";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { asError, inWords } from "../ui/fault";
import { Late } from "../ui/Late";
import { KeyEntry } from "./KeyEntry";
import styles from "./Notice.module.css";

interface Entered {
  client: Client;
  about: About;
  leave: (() => void) | null;
  startOver: () => void;
  tabs: OtherTabs;
}

/** Asks the server what it is and, where it wants one, the user for a key. Then the chat begins. */
// Somebody is looking: a server that is back is to be noticed within moments, whatever it was away for.
const RETURN_MS = 2_000;

export function Entrance({ children }: { children: (entered: Entered) => ReactNode }) {
  const [key, setKey] = useState(storedKey.read);
  const [about, setAbout] = useState<About | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const tabs = useTabs();
  // A key that is refused while the page is open: what the server says of it now decides.
  const asking = useRef(false);
  const askAgain = useCallback(() => setTries((made) => made + 1), []);
  const onUnauthorized = useCallback(() => asking.current || askAgain(), [askAgain]);
  const client = useMemo(
    () => new Client({ ...(key !== null && { key }), onUnauthorized, backoffCapMs: RETURN_MS }),
    [key, onUnauthorized],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` asks again.
  useEffect(() => {
    let current = true;
    asking.current = true;
    setError(null);
    client
      .about()
      .then(
        (found) => current && setAbout(found),
        (cause: unknown) => current && setError(asError(cause)),
      )
      .finally(() => {
        if (current) asking.current = false;
      });
    return () => {
      current = false;
    };
  }, [client, tries]);

  const leave = useCallback(() => {
    tabs?.tell("signed-out");
    forgetAll();
    // What the page holds in memory has to go, too.
    location.assign("/");
  }, [tabs]);
  const startOver = useCallback(() => {
    tabs?.tell("erased");
    beginAnew();
  }, [tabs]);
  const enter = (next: string, remember: boolean) => {
    storedKey.keep(next, remember);
    setAbout(null);
    setKey(next);
    askAgain();
  };

  const refused = error instanceof ApiError && error.status === 401;
  if (refused || (about !== null && about.auth === "key" && !about.signedIn)) {
    return <KeyEntry refused={key !== null} onEnter={enter} />;
  }
  if (error !== null && about === null) return <Unreachable error={error} onTryAgain={askAgain} />;
  if (about === null || tabs === null)
    return <Late>{<p className={styles.page}>{texts.shell.connecting}</p>}</Late>;
  return children({ client, about, leave: about.auth === "key" ? leave : null, startOver, tabs });
}

/** The other tabs of this browser. Where one of them signs out, so does this. */
function useTabs(): OtherTabs | null {
  const [tabs, setTabs] = useState<OtherTabs | null>(null);
  useEffect(() => {
    const own = new OtherTabs();
    own.listen("signed-out", () => {
      forgetAll();
      location.assign("/");
    });
    own.listen("erased", beginAnew);
    setTabs(own);
    return () => own.close();
  }, []);
  return tabs;
}

/** All was erased. A key is still valid, and without one the next visitor is somebody new. */
function beginAnew(): void {
  forgetAll({ butKey: true });
  location.assign("/");
}

function Unreachable({ error, onTryAgain }: { error: Error; onTryAgain: () => void }) {
  return (
    <main className={styles.page}>
      <h1>{texts.shell.unreachable}</h1>
      <p>{inWords(error)}</p>
      <Button look="primary" onClick={onTryAgain}>
        {texts.ui.tryAgain}
      </Button>
    </main>
  );
}
