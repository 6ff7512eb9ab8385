/** Moments, days and sizes in words, in the language of the texts. */

import { texts } from "../texts";

const MOMENT = new Intl.DateTimeFormat(texts.locale, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(texts.locale, { dateStyle: "medium", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat(texts.locale, { timeStyle: "medium" });

/** A point in time, here: "3 Nov 2026, 14:05". What is no time is shown as it came. */
export function moment(iso: string): string {
  return shown(iso, MOMENT);
}

/** A date without a time is the same day everywhere: "3 Nov 2026". */
export function day(iso: string): string {
  return shown(iso, DAY);
}

export function calendarDay(date: Date): string {
  return DAY.format(date);
}

export function clock(iso: string): string {
  return shown(iso, CLOCK);
}

function shown(iso: string, format: Intl.DateTimeFormat): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : format.format(date);
}

export function size(bytes: number): string {
  const { units } = texts;
  if (bytes < 1000) return units.bytes(bytes);
  if (bytes < 1_000_000) return units.kilobytes((bytes / 1000).toFixed(1));
  return units.megabytes((bytes / 1_000_000).toFixed(1));
}

/** "min_salary" as "min salary": keys are the server's, and open-ended. */
export function words(key: string): string {
  return key.replaceAll("_", " ");
}
