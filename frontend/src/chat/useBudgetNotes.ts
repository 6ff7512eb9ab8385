import { useEffect, useState } from "react";
import { useSession } from "../state/session";

/** What was told, by run, of a budget that is spent: other notices pass, but this one says why an answer is as it is. */
export function useBudgetNotes(): ReadonlyMap<string, string> {
  const { live } = useSession();
  const [notes, setNotes] = useState<ReadonlyMap<string, string>>(() => new Map());
  useEffect(
    () =>
      live.onEvent((event) => {
        if (event.type !== "thinking" || event.stage !== "budget") return;
        setNotes((known) => new Map(known).set(event.run_id, event.label));
      }),
    [live],
  );
  return notes;
}
