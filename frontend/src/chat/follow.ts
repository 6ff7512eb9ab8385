/** Where a scrolled list stands, in pixels. */
export interface Place {
  readonly top: number;
  readonly height: number;
  readonly viewport: number;
}

/** Whether the end is being followed, and where the list stood when that was last asked. */
export interface Follow {
  readonly following: boolean;
  readonly place: Place;
}

export const startFollowing: Follow = { following: true, place: { top: 0, height: 0, viewport: 0 } };

// A reader this near to the end wants to see what comes.
const NEAR = 48;

export function atEnd({ top, height, viewport }: Place): boolean {
  return height - viewport - top <= NEAR;
}

// The list corrects its own place by less than this when it has measured what is in it.
const CORRECTION = 200;

/**
 * After the list moved. Only its reader stops the following, by going up: `byReader` says that they have just touched
 * wheel, keys, glass or scrollbar. A long way up is theirs in any case: a search in the page, a screen reader.
 */
export function moved({ following, place: before }: Follow, place: Place, byReader: boolean): Follow {
  if (atEnd(place)) return { following: true, place };
  const laidOut = place.height < before.height || place.viewport !== before.viewport;
  const up = before.top - place.top;
  const left = byReader ? up > 1 : up > CORRECTION && !laidOut;
  return { following: following && !left, place };
}

/**
 * Where to go because the list has grown; null to stay. Text is followed to its end. What comes below a finished
 * text (`keep` is where that begins) is brought into sight only as far as the text stays in it.
 */
export function target({ following }: Follow, place: Place, keep: number | null): number | null {
  if (!following) return null;
  const end = place.height - place.viewport;
  const wanted = keep === null ? end : Math.min(end, Math.max(place.top, keep));
  return Math.abs(wanted - place.top) < 1 ? null : wanted;
}
