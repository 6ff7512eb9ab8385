import type { Amendment, ProfileFact } from "@signalbox/client";
import { useSession } from "../../state/session";
import { statusOf } from "../../ui/fault";
import { type Deed, useDeed } from "../../ui/useDeed";

/**
 * Changes a fact as its user wants it. One that was changed elsewhere meanwhile is shown anew, with the reason.
 * `onAmended` is told the fact as it is then, which is another one if its value has changed, before all is loaded anew.
 */
export function useAmend(
  onChanged: () => Promise<void>,
  onAmended: (fact: ProfileFact) => void = () => {},
): Deed<[string, Amendment]> {
  const { client, announce } = useSession();
  return useDeed(async (factId: string, change: Amendment) => {
    try {
      onAmended(await client.amendFact(factId, change));
    } catch (fault) {
      if (!(fault instanceof Error) || statusOf(fault) !== 409) throw fault;
      announce(fault.message, "error");
    }
    await onChanged();
  });
}
