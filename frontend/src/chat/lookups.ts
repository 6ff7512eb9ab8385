import type { RunView, ToolView } from "@signalbox/client";
import { texts } from "../texts";
import { toolName } from "./names";

/**
 * How a look-up went. Only `empty` says that there is nothing: `unsure` found nothing in the part it could look
 * through, `part` and `cut` found something with more behind it, `undone` is what its user did not want done.
 */
export type Outcome = keyof typeof texts.chat.outcomes;

const UNDECIDED: ReadonlySet<string | null> = new Set(["rejected", "expired"]);

export function outcomeOf({ status, kind, truncated, missed }: ToolView): Outcome {
  switch (status) {
    case "running":
      return "running";
    case "ok":
      return missed.length > 0 ? "part" : truncated ? "cut" : "found";
    case "empty":
      return missed.length > 0 ? "unsure" : "empty";
    case "error":
      if (UNDECIDED.has(kind)) return "undone";
      return kind === "incomplete" ? "unsure" : "failed";
  }
}

export function withOutcome(run: RunView, ...wanted: Outcome[]): ToolView[] {
  return run.tools.filter((tool) => wanted.includes(outcomeOf(tool)));
}

/** What is to be known of the outcome beside its name: why, how much, and what was not asked. */
export function reasonOf(tool: ToolView): string {
  const { note, kind, missed, total, truncated } = tool;
  if (note !== "") return note;
  const t = texts.chat;
  if (missed.length > 0) return t.notAsked(missed.join("; "));
  if (truncated && total !== null) return t.ofTotal(total);
  return (kind !== null && Object.hasOwn(t.toolKinds, kind) && t.toolKinds[kind]) || "";
}

/** The tool with the reason, for a list whose heading names the outcome. */
export function told(tool: ToolView): string {
  const reason = reasonOf(tool);
  return reason === "" ? toolName(tool.tool) : `${toolName(tool.tool)}: ${reason}`;
}

/** The same for a list of all outcomes. */
export function toldWhole(tool: ToolView): string {
  const reason = reasonOf(tool);
  const outcome = texts.chat.outcomes[outcomeOf(tool)];
  return `${toolName(tool.tool)}: ${outcome}${reason === "" ? "" : ` (${reason})`}`;
}
