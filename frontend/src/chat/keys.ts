import type { KeyboardEvent } from "react";

// Safari ends a composition before the key that ended it comes; only this old code still tells.
const COMPOSING = 229;

/** Whether the key belongs to the writing of a character, as in Japanese, and not to the field. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === COMPOSING;
}

/** Whether the key sends what was written. Where keys are drawn on the glass, Enter has to make the new line. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !isComposing(event) && !isTouch();
}

export function isTouch(): boolean {
  return matchMedia("(pointer: coarse) and (hover: none)").matches;
}

/** How many characters are left, as the server counts them. */
export function charactersLeft(text: string, limit: number): number {
  return limit - [...text].length;
}
