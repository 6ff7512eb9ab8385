import { useCallback, useEffect, useRef, useState } from "react";
import { asError } from "../../ui/fault";

export interface Loaded<T> {
  /** What was loaded last; kept while it is loaded again, so that nothing flashes. */
  readonly value: T | undefined;
  readonly error: Error | null;
  readonly loading: boolean;
  reload(): Promise<void>;
  /** Put in place what another request has answered already. */
  replace(value: T): void;
}

/** `load` must be stable. Of two loads at once the later one counts, whichever answers first. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<Error | null>(null);
  const [loading, setLoading] = useState(true);
  const newest = useRef(0);

  const reload = useCallback(async () => {
    newest.current += 1;
    const own = newest.current;
    setLoading(true);
    try {
      const loaded = await load();
      if (own !== newest.current) return;
      setValue(loaded);
      setError(null);
    } catch (fault) {
      if (own === newest.current) setError(asError(fault));
    } finally {
      if (own === newest.current) setLoading(false);
    }
  }, [load]);

  const replace = useCallback((next: T) => {
    newest.current += 1;
    setValue(next);
    setError(null);
    setLoading(false);
  }, []);

  useEffect(() => {
    void reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);

  return { value, error, loading, reload, replace };
}
