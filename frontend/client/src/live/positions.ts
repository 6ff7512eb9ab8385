/** How cursors lie to each other: each is an epoch and an offset in it, which grows by one from event to event. */

function placeOf(cursor: string | null): [epoch: string, offset: number] {
  const [epoch = "", offset = "0"] = (cursor ?? "").split("-");
  return [epoch, Number(offset)];
}

/** Whether `id` is that of the event right after `cursor`. */
export function isNext(cursor: string | null, id: string | null): boolean {
  const [epoch, offset] = placeOf(id);
  const [mine, at] = placeOf(cursor);
  return (epoch === mine || cursor === null) && offset === at + 1;
}

/** Whether what `cursor` is the place after includes the event `id`. */
export function isPast(cursor: string | null, id: string | null): boolean {
  const [epoch, offset] = placeOf(id);
  const [mine, at] = placeOf(cursor);
  return epoch === mine && offset <= at;
}

export function isBehind(cursor: string | null, leader: string | null): boolean {
  return leader !== null && cursor !== leader && !isPast(cursor, leader);
}
