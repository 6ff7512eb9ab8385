import type { Block, Citation } from "@signalbox/client";

const LONGEST = 600;
// Where the different kinds of record keep what a reader wants to see of them.
const TEXTS = ["text", "content", "description", "summary"];

/** What is worth quoting of a stored source, whatever its kind; empty if it has no text of its own. */
export function excerptOf(source: unknown): string {
  const record = isRecord(source) && isRecord(source.record) ? source.record : {};
  for (const name of TEXTS) {
    const text = record[name];
    if (typeof text === "string" && text.trim() !== "") return shortened(text.trim());
  }
  return "";
}

/** Whether each of them is a posting that stands among the results anyhow. */
export function areListed(citations: readonly Citation[], blocks: readonly Block[]): boolean {
  const ids = new Set(blocks.flatMap(jobIds));
  return citations.every(({ id }) => ids.has(id));
}

function jobIds(block: Block): string[] {
  switch (block.type) {
    case "jobs_data":
      return block.jobs.map(({ job_id }) => job_id);
    case "job_match":
      return block.verdicts.map(({ job }) => job.job_id);
    default:
      return [];
  }
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const space = text.lastIndexOf(" ", LONGEST);
  return `${text.slice(0, space > 0 ? space : LONGEST)} …`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
