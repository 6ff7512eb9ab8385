/** What every typed result is given, and what it keeps while it is out of sight. */

import type { BlockOf, BlockType, ConversationView, RunView } from "@signalbox/client";
import { useCallback, useState } from "react";

export type { BlockOf } from "@signalbox/client";

/** `id` names the block within the page: what is kept of it goes by that. */
export interface BlockProps<T extends BlockType> {
  readonly block: BlockOf<T>;
  readonly run: RunView;
  readonly view: ConversationView;
  readonly id: string;
}

/** Whether no other result of its kind came after it: what is said of "the draft" is said of the newest. */
export function isNewest(view: ConversationView, block: BlockOf<BlockType>): boolean {
  for (const run of view.runs.toReversed()) {
    const last = run.retracted ? undefined : run.blocks.findLast(({ type }) => type === block.type);
    if (last !== undefined) return last === block;
  }
  return false;
}

const MOST_KEPT = 400;
const kept = new Map<string, unknown>();

/** State that outlasts its component: a virtualised list unmounts what is scrolled away, and an edited draft with it. */
export function useKept<T>(key: string, initial: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : initial));
  const keep = useCallback(
    (next: T) => {
      kept.delete(key);
      kept.set(key, next);
      const oldest = kept.keys().next().value;
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      setValue(next);
    },
    [key],
  );
  return [value, keep];
}
