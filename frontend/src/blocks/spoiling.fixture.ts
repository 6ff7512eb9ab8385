/** Typed results as they should never be: with nothing in them, or from somebody who means ill. */

import type { Block } from "@signalbox/client";

export const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202Egnp.exe\u2066 ${"W".repeat(3_000)}`;

/** What a newer server, or one gone wrong, might send: the same shape with nothing in it. */
export function emptied<B extends Block>(block: B): B {
  const bare = Object.entries(block).map(([name, value]) => [name, nothing(name, value)]);
  return Object.fromEntries(bare) as B;
}

const FIXED = new Set([
  "type",
  "kind",
  "tone",
  "basis",
  "status",
  "verdict",
  "severity",
  "decision",
  "expires_at",
]);

function nothing(name: string, value: unknown): unknown {
  if (FIXED.has(name)) return value;
  if (Array.isArray(value)) return [];
  if (typeof value === "string") return "";
  if (typeof value === "number") return 0;
  return typeof value === "boolean" ? false : null;
}

/** The same with every text, number and link as bad as it can be. */
export function spoiled<T>(value: T, name = ""): T {
  if (Array.isArray(value)) return value.map((each) => spoiled(each, name)) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, spoiled(each, key)])) as T;
  }
  if (FIXED.has(name) || name === "star") return value;
  if (typeof value === "string") return (name === "url" ? "javascript:alert(1)" : HOSTILE) as T;
  return (typeof value === "number" ? 1e300 : value) as T;
}
