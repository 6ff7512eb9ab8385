/** The name under which tabs share a conversation: the same for one user at one server, and for nobody else. */

import type { Connection } from "../stream/options.js";

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

export function channelName({ url, headers }: Connection, conversationId: string): string {
  return `signalbox:${digest(headers.Authorization ?? "")}:${absolute(url)}:${conversationId}`;
}

/** The same server has one name, whether it is called the page's own or in full. */
function absolute(url: string): string {
  try {
    return new URL(url || "/", globalThis.location?.href).href.replace(/\/+$/, "");
  } catch {
    return url; // a path, and no page that it would belong to
  }
}

/** FNV-1a of a key, which is told to nobody; "" for users who are known by their cookie. */
function digest(key: string): string {
  if (key === "") return "";
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(key))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16).padStart(16, "0");
}
