/**
 * What can go wrong with a server.
 *
 *     ClientError
 *     ├── ApiError         the server refused, in its words
 *     └── ConnectionLost   nobody answered for too long
 */

/** `retry`: the same request may succeed later. `status` is HTTP's, 0 where nothing answered. */
export class ClientError extends Error {
  override name = "ClientError";

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly retry: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server refused, and asking again as it is would not help. `message` and `code` are the server's. */
export class ApiError extends ClientError {
  override name = "ApiError";
  /** An earlier try of the same call got no answer, and may have arrived. */
  again = false;
}

/** No answer in spite of all tries. `reason` says what went wrong last; asking again may help. */
export class ConnectionLost extends ClientError {
  override name = "ConnectionLost";

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The server cannot be reached: ${reason}`, "connection_lost", 0, true, options);
  }
}

/** Answers that pass by themselves: too early, too many, and failures of the server or of what stands before it. */
export function passes(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The refusal in the server's words (RFC 9457), or in HTTP's when something else answered. */
export function problem(status: number, body: string): ApiError {
  const said = parsed(body);
  if (typeof said?.code === "string") {
    const detail = typeof said.detail === "string" ? said.detail : "";
    const retry = typeof said.retry === "boolean" ? said.retry : passes(status);
    return new ApiError(detail || `The server answered ${status}.`, said.code, status, retry);
  }
  return new ApiError(`The server answered ${status}.`, `http_${status}`, status, passes(status));
}

/** What a failed `fetch` or a broken stream says, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof ClientError) return error.message;
  if (error instanceof Error) {
    if (error.name === "TimeoutError") return "nothing came in time";
    return error.message || error.name;
  }
  return String(error);
}

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // not JSON, so not from a Signalbox server
  }
}
