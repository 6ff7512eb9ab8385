export interface Keyed<T> {
  readonly key: string;
  readonly item: T;
}

/** A key of its own for each of `items`: its name, which a source may give twice. */
export function keyed<T>(items: readonly T[], name: (item: T) => string): Keyed<T>[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const base = name(item);
    const times = seen.get(base) ?? 0;
    seen.set(base, times + 1);
    return { key: times === 0 ? base : `${base}#${times}`, item };
  });
}
