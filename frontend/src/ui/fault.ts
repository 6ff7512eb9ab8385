import { texts } from "../texts";

/** What went wrong, in the page's words where it has some; else in those of who noticed, which is mostly the server. */
export function inWords(error: Error): string {
  return texts.faults[codeOf(error) ?? ""] ?? error.message;
}

/** What to do about an error, beyond what its own words say; null where they say it all, as the server's do. */
export function advice(error: Error): string | null {
  switch (codeOf(error)) {
    case "connection_lost":
      return texts.panels.fault.connection;
    case "unauthorized":
      return texts.panels.fault.key;
    default:
      return null;
  }
}

/** The client's errors carry a code; one that was thrown by the browser does not. */
export function codeOf(error: Error): string | null {
  return "code" in error && typeof error.code === "string" ? error.code : null;
}

export function statusOf(error: Error): number | null {
  return "status" in error && typeof error.status === "number" ? error.status : null;
}

export function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault));
}
