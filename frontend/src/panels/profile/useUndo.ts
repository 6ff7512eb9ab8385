import type { ProfileChange } from "@signalbox/client";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { statusOf } from "../../ui/fault";
import { type Deed, useDeed } from "../../ui/useDeed";

/** Takes a change of the profile back: that one, whatever else has happened, or nothing. */
export function useUndo(onUndone: () => Promise<void>): Deed<[ProfileChange]> {
  const { client, announce } = useSession();
  return useDeed(async (change: ProfileChange) => {
    try {
      await client.undoProfile(change.changeId);
      announce(texts.panels.profile.undone, "quiet");
    } catch (fault) {
      if (!(fault instanceof Error) || statusOf(fault) !== 409) throw fault;
      // Something newer came in between: what is shown is replaced by it, so the words go where they stay.
      announce(fault.message, "error");
    }
    await onUndone();
  });
}
