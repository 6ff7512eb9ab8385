/** A view as the transcripts in tests/golden have it: the same JSON for every client. */

import type { FinalRun } from "../src/index.js";
import { type ConversationView, final } from "../src/index.js";

/** With the wire's names; blocks and citations already have them. */
function wire(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      each,
    ]),
  );
}

export function shown(view: ConversationView) {
  return {
    ...wire(view),
    messages: view.messages.map(wire),
    runs: view.runs.map((run) => ({
      ...wire(run),
      tools: run.tools.map(wire),
      handoffs: run.handoffs.map(wire),
      rewinds: run.rewinds.map(wire),
      usage: run.usage.map(wire),
    })),
  };
}

export function lasting(view: ConversationView) {
  const run = (each: FinalRun) => ({ ...each, answers: each.answers.map(wire) });
  return Object.fromEntries(Object.entries(final(view)).map(([runId, each]) => [runId, run(each)]));
}
