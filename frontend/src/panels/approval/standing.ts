import type { Approval, RunView } from "@signalbox/client";
import { isOver } from "@signalbox/client";

/** Where a question to the user stands. `late`: its time is over by this device's clock. `ended`: its run is over. */
export type Standing = "open" | "approved" | "edited" | "rejected" | "expired" | "late" | "ended";

export function standingOf(
  resolution: string | null,
  stored: Approval | undefined,
  run: RunView,
  msLeft: number,
): Standing {
  const decided = resolution ?? stored?.decision ?? null;
  if (decided === "approved" || decided === "edited" || decided === "rejected" || decided === "expired")
    return decided;
  if (isOver(run)) return "ended";
  return msLeft > 0 ? "open" : "late";
}
