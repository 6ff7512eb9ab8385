/** Where a scrolled list stands, in pixels. */
export interface Place {
  readonly top: number;
  readonly height: number;
  readonly viewport: number;
}

/** From where to where the newest text stands, from the top of all that can be scrolled. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

/**
 * What is held in sight while the list changes: its end, or the newest text with only the beginning of what stands
 * below it; null once the reader has left. And where the list stood when that was last asked.
 */
export interface Follow {
  readonly holds: "end" | "text" | null;
  readonly place: Place;
}

export const startFollowing: Follow = { holds: "end", place: { top: 0, height: 0, viewport: 0 } };

// A reader this near to the end wants to see what comes.
const NEAR = 48;
// The list corrects its own place by less than this when it has measured what is in it.
const CORRECTION = 200;
// The part of the view a text fills at least when the end is shown with it.
const FILLED = 2 / 3;

function endOf({ height, viewport }: Place): number {
  return Math.max(0, height - viewport);
}

export function atEnd(place: Place): boolean {
  return endOf(place) - place.top <= NEAR;
}

/** Whether a list that was laid out anew may yet correct its place by more than a little. */
export function unsettles(before: Place, place: Place): boolean {
  return place.viewport !== before.viewport || endOf(before) - endOf(place) > CORRECTION;
}

/**
 * After the list moved. Only its reader ends the following, by going up. `byReader`: they use wheel, keys, glass or
 * scrollbar. Else a long way up is theirs, such as a search in the page; but not while the list is `unsettled`.
 */
export function moved(
  { holds, place: before }: Follow,
  place: Place,
  byReader: boolean,
  unsettled: boolean,
): Follow {
  // As far as the end itself came up, the list had to go with it.
  const up = before.top - place.top - Math.max(0, endOf(before) - endOf(place));
  const left = byReader ? up >= 0.5 && endOf(place) - place.top > 1 : up > CORRECTION && !unsettled;
  if (left) return { holds: null, place };
  // While they went down, text may have moved the end that they went for.
  const reached = byReader && up < 0 && place.top >= endOf(before) - NEAR;
  return { holds: up <= 0 && (atEnd(place) || reached) ? "end" : holds, place };
}

/**
 * Where to be because the list was laid out anew. What was added below a finished `text` is brought into sight only
 * as far as the text stays in it; without one the end is held.
 */
export function laidOut(follow: Follow, place: Place, text: Span | null): Follow {
  if (follow.holds === null) return { holds: null, place };
  const end = endOf(place);
  if (text === null) return { holds: "end", place: { ...place, top: end } };
  const top = Math.max(place.top, text.top, text.bottom - place.viewport);
  // A few lines below a long text cost it nothing: it still fills most of the view.
  const fills = text.top < top && text.bottom - end >= place.viewport * FILLED;
  if (top >= end || fills) return { holds: "end", place: { ...place, top: end } };
  return { holds: "text", place: { ...place, top } };
}
