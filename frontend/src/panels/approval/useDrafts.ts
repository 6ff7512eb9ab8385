import { useCallback, useState } from "react";
import type { Arguments, Draft } from "./fields";

const NAME = "signalbox.approval.";

type Drafts = readonly Draft[] | null;

/**
 * What was written into the fields of an approval and not sent. It outlasts a reload of this tab, and the card, which
 * a long transcript takes away while it is out of sight.
 */
export function useDrafts(approvalId: string, shown: Arguments): [Drafts, (drafts: Drafts) => void] {
  const [drafts, setDrafts] = useState<Drafts>(() => kept(approvalId, shown));
  const keep = useCallback(
    (next: Drafts) => {
      setDrafts(next);
      store(approvalId, next);
    },
    [approvalId],
  );
  return [drafts, keep];
}

function kept(approvalId: string, shown: Arguments): Drafts {
  try {
    const drafts: Drafts = JSON.parse(sessionStorage.getItem(NAME + approvalId) ?? "null");
    const names = drafts?.map((draft) => draft.name) ?? [];
    // Written by an earlier version of the page, or about something else: then it is no use.
    return names.join("\n") === Object.keys(shown).join("\n") ? drafts : null;
  } catch {
    return null; // storage is blocked, or holds what is none of ours: there are no drafts
  }
}

function store(approvalId: string, drafts: Drafts): void {
  try {
    if (drafts === null) sessionStorage.removeItem(NAME + approvalId);
    else sessionStorage.setItem(NAME + approvalId, JSON.stringify(drafts));
  } catch {
    // Storage is blocked or full: the drafts last as long as the card.
  }
}
