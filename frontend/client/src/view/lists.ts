/** Searching from the end, where what is going on is. (`findLast` is younger than some engines this runs on.) */

export function lastIndex<T>(items: readonly T[], wanted: (item: T) => boolean): number {
  let at = items.length - 1;
  while (at >= 0 && !wanted(items[at] as T)) at -= 1;
  return at;
}
