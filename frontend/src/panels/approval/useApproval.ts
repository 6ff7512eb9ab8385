import type { Approval } from "@signalbox/client";
import { useCallback, useEffect } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { type Loaded, useLoaded } from "../common/useLoaded";

/** A question is told just before it is stored. */
const LOOKS = 20;
const PAUSE_MS = 250;

/**
 * What the server holds of an approval: its whole arguments (an event may have them shortened), the digest that a
 * decision is bound to, and what was decided, maybe elsewhere. Loaded anew when `resolution` says so.
 */
export function useApproval(runId: string, approvalId: string, resolution: string | null): Loaded<Approval> {
  const { client } = useSession();
  const load = useCallback(async () => {
    for (let look = 1; ; look += 1) {
      const all = await client.approvals(runId);
      const found = all.find((one) => one.approvalId === approvalId);
      if (found !== undefined) return found;
      if (look === LOOKS) throw new Error(texts.panels.approval.gone);
      await new Promise((next) => setTimeout(next, PAUSE_MS));
    }
  }, [client, runId, approvalId]);
  const loaded = useLoaded(load);
  const { value, reload } = loaded;
  const behind = resolution !== null && value !== undefined && value.decision === null;

  useEffect(() => {
    if (behind) void reload();
  }, [behind, reload]);

  return loaded;
}
