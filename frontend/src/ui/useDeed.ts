import { useCallback, useRef, useState } from "react";
import { asError } from "./fault";

export interface Deed<Args extends unknown[]> {
  readonly busy: boolean;
  readonly error: Error | null;
  /** True if it was done. While one is under way another call is no call: a double click does it once. */
  run(...args: Args): Promise<boolean>;
  clear(): void;
}

/** Something the user sets off, that takes a while and may fail. */
export function useDeed<Args extends unknown[]>(deed: (...args: Args) => Promise<unknown>): Deed<Args> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const going = useRef(false);
  const latest = useRef(deed);
  latest.current = deed;

  const run = useCallback(async (...args: Args) => {
    if (going.current) return false;
    going.current = true;
    setBusy(true);
    setError(null);
    try {
      await latest.current(...args);
      return true;
    } catch (fault) {
      setError(asError(fault));
      return false;
    } finally {
      going.current = false;
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(null), []);

  return { busy, error, run, clear };
}
