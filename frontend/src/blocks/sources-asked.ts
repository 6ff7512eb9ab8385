import type { SourceStatus } from "@signalbox/client";

/** Those that could not be asked, those that were looked through only in part, and those that were asked in full. */
export interface Asked {
  readonly failed: readonly SourceStatus[];
  readonly partly: readonly SourceStatus[];
  readonly whole: readonly SourceStatus[];
}

export function asked(sources: readonly SourceStatus[]): Asked {
  const answered = sources.filter(({ status }) => status !== "error");
  return {
    failed: sources.filter(({ status }) => status === "error"),
    partly: answered.filter(({ partial }) => partial),
    whole: answered.filter(({ partial }) => !partial),
  };
}

/** Whether there may be more than was found. */
export function lacks(sources: readonly SourceStatus[]): boolean {
  return sources.some(({ status, partial }) => status === "error" || partial);
}
