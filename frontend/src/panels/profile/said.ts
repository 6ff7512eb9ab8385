import { texts } from "../../texts";
import { words } from "../common/format";

/** A fact in a line: "location: Berlin". */
export function said(fact: { readonly key: string; readonly value: string }): string {
  return `${keyOf(fact.key)}: ${fact.value}`;
}

export function keyOf(key: string): string {
  const known = texts.profileKeys;
  return Object.hasOwn(known, key) ? (known[key] ?? key) : words(key);
}
