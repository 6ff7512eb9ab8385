/** Moments, days and sizes in words. The page speaks English, so dates do, too. */

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A point in time, here: "3 Nov 2026, 14:05". What is no time is shown as it came. */
export function moment(iso: string): string {
  return shown(iso, MOMENT);
}

/** A date without a time is the same day everywhere: "3 Nov 2026". */
export function day(iso: string): string {
  return shown(iso, DAY);
}

export function clock(iso: string): string {
  return shown(iso, CLOCK);
}

function shown(iso: string, format: Intl.DateTimeFormat): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : format.format(date);
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** "min_salary" as "min salary": keys are the server's, and open-ended. */
export function words(key: string): string {
  return key.replaceAll("_", " ");
}
