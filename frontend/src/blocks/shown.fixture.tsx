/** A typed result on a page of its own, for tests. */

import {
  type Block,
  type Citation,
  type ConversationView,
  emptyView,
  type MessageView,
  type RunView,
  startedRun,
} from "@signalbox/client";
import { render } from "@testing-library/react";
import { vi } from "vitest";
import { type Session, SessionContext } from "../state/session";
import { BlockView } from "./BlockView";

const MESSAGE: MessageView = {
  messageId: "m_2",
  runId: "r_1",
  role: "assistant",
  text: "",
  status: "complete",
  agent: null,
  citations: [],
};

const runs = new Map<Block | undefined, string>();

/** A run for each block that is shown: what the page keeps of a result goes by its run. */
function runOf(block: Block | undefined): string {
  const known = runs.get(block) ?? `r_${runs.size + 1}`;
  runs.set(block, known);
  return known;
}

export function viewOf(...blocks: readonly Block[]): { view: ConversationView; run: RunView } {
  const run: RunView = {
    ...startedRun(runOf(blocks[0])),
    status: "succeeded",
    userMessageId: "m_1",
    blocks,
    owners: blocks.map(() => MESSAGE.messageId),
    settled: true,
    attempt: 1,
  };
  return { run, view: { ...emptyView, conversationId: "c_1", runs: [run] } };
}

export interface Shown {
  readonly container: HTMLElement;
  readonly send: ReturnType<typeof vi.fn>;
  readonly openPanel: ReturnType<typeof vi.fn>;
  readonly announce: ReturnType<typeof vi.fn>;
}

/** The block on a page of its own; `others` are in the same answer, which has these `citations`. */
export function show(
  block: Block,
  others: readonly Block[] = [],
  citations: readonly Citation[] = [],
): Shown {
  const send = vi.fn(async () => undefined);
  const openPanel = vi.fn();
  const announce = vi.fn();
  const session = { actions: { send }, openPanel, announce, panel: null } as unknown as Session;
  const { run, view: bare } = viewOf(block, ...others);
  const view = { ...bare, messages: [{ ...MESSAGE, runId: run.runId, citations }] };
  const { container } = render(
    <SessionContext value={session}>
      <BlockView block={block} run={run} view={view} />
    </SessionContext>,
  );
  return { container, send, openPanel, announce };
}
