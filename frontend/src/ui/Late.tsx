import { type ReactNode, useEffect, useState } from "react";

const LATE_MS = 300;

/** Shows its content only if it is still there after a moment: most waits are over before they need a word. */
export function Late({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}
