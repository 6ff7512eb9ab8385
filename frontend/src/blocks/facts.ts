import { line } from "../safe/inert";
import { texts } from "../texts";
import { whole } from "./format";

interface Fact {
  readonly key: string;
  readonly value: string;
}

/** What a fact is called: keys are the server's, and open-ended. */
export function nameOf(key: string): string {
  const known = texts.factKeys;
  return (Object.hasOwn(known, key) && known[key]) || line(key, 60).replaceAll("_", " ");
}

export function shownOf({ key, value }: Fact): string {
  return key.startsWith("salary") && /^\d+$/.test(value) ? whole(Number(value)) : value;
}

/** A fact in a line: "Place: Berlin". */
export function said(fact: Fact): string {
  return `${nameOf(fact.key)}: ${shownOf(fact)}`;
}
