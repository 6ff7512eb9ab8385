/** Sending a file. Over XMLHttpRequest where there is one, since `fetch` tells nothing of what was sent so far. */

import { ConnectionLost, problem, reasonOf } from "../errors.js";
import type { Connection } from "../stream/options.js";
import type { UploadOptions } from "./api.js";
import type { Calls, CallsOptions } from "./calls.js";

const PATH = "/v1/profile/resume";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * The JSON that the server answered. It is tried once: whoever waits for a file wants to know, and can choose it again.
 * Throws `ApiError`, `ConnectionLost`, and an `AbortError` after `signal`.
 */
export async function uploaded(
  { connection, options: calls, onUnauthorized }: Calls,
  file: Blob,
  options: UploadOptions,
): Promise<unknown> {
  const form = new FormData();
  const named = "name" in file && typeof file.name === "string" ? file.name : "CV";
  form.append("file", file, options.name ?? named);
  const send = typeof XMLHttpRequest === "function" ? sentByXhr : sentByFetch;
  const answer = await send(connection, calls, form, options);
  if (answer.status < 200 || answer.status > 299) {
    const refusal = problem(answer.status, answer.text);
    if (refusal.status === 401) onUnauthorized(refusal);
    throw refusal;
  }
  if (!/\bjson\b/.test(answer.type)) throw new ConnectionLost("the answer did not come from the server");
  return JSON.parse(answer.text);
}

function sentByXhr(
  connection: Connection,
  calls: CallsOptions,
  form: FormData,
  { onProgress, signal }: UploadOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", connection.url + PATH);
    request.withCredentials = calls.credentials === "include";
    request.setRequestHeader("Accept", "application/json");
    for (const [name, value] of Object.entries(connection.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress?.(loaded / total);
    request.upload.onload = () => onProgress?.(1);
    request.onload = () =>
      resolve({
        status: request.status,
        type: request.getResponseHeader("content-type") ?? "",
        text: request.responseText,
      });
    request.onerror = () => reject(new ConnectionLost("the file could not be sent"));
    const abort = () => {
      request.abort();
      reject(signal?.reason ?? new Error("aborted"));
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    request.send(form);
  });
}

async function sentByFetch(
  connection: Connection,
  calls: CallsOptions,
  form: FormData,
  { onProgress, signal }: UploadOptions,
): Promise<Answer> {
  const init: RequestInit = {
    method: "POST",
    headers: { Accept: "application/json", ...connection.headers },
    body: form,
    credentials: calls.credentials,
    ...(signal && { signal }),
  };
  try {
    const response = await calls.fetch(connection.url + PATH, init);
    onProgress?.(1);
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      text: await response.text(),
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost(reasonOf(error), { cause: error });
  }
}
