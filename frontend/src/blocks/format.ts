/** Numbers, money and days in words. Nothing here trusts a number to be sensible. */

import { line } from "../safe/inert";
import { texts } from "../texts";
import { calendarDay } from "../ui/format";

const LOCALE = texts.locale;
const DAY_MS = 86_400_000;
// Beyond this no pay is meant, and every digit of it would be shown.
const ABSURD = 1e12;

export function finite(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function whole(value: number): string {
  if (!Number.isFinite(value)) return texts.blocks.unknownNumber;
  if (Math.abs(value) >= ABSURD) return value.toExponential(1);
  return new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 }).format(value);
}

/** A fraction of 0 to 1 as a percentage; what is outside is held to the nearer end. */
export function percent(share: number): string {
  return texts.units.percent(held(share, 0, 1));
}

export function held(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low;
}

export function money(value: number, currency: string | null, look: "full" | "short" = "full"): string {
  const code = line(currency, 12);
  const known = /^[A-Za-z]{3}$/.test(code);
  if (!Number.isFinite(value) || Math.abs(value) >= ABSURD || !known) {
    return [whole(value), code].filter(Boolean).join(" ");
  }
  const fraction = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : 2;
  return new Intl.NumberFormat(LOCALE, {
    style: "currency",
    currency: code.toUpperCase(),
    // As in the answers: a dollar without more is the American one.
    currencyDisplay: code.toUpperCase() === "USD" ? "narrowSymbol" : "symbol",
    minimumFractionDigits: look === "full" ? fraction : 0,
    maximumFractionDigits: look === "full" ? fraction : 1,
    notation: look === "full" ? "standard" : "compact",
  }).format(value);
}

export function period(name: string | null | undefined): string {
  const said = line(name, 20);
  return texts.blocks.periods[said.toLowerCase()] ?? (said && texts.blocks.perOther(said));
}

/** "€60,000–€75,000 a year", or null where nothing is stated. */
export function pay(
  salary: { min: number | null; max: number | null; currency: string | null; period: string | null } | null,
): string | null {
  if (salary === null) return null;
  const low = finite(salary.min);
  const high = finite(salary.max);
  if (low === null && high === null) return null;
  return [amounts(low, high, salary.currency), period(salary.period)].filter(Boolean).join(" ");
}

function amounts(low: number | null, high: number | null, currency: string | null): string {
  if (low === null) return texts.blocks.upTo(money(high ?? 0, currency));
  if (high === null) return texts.blocks.from(money(low, currency));
  if (low === high) return money(low, currency);
  return `${money(Math.min(low, high), currency)}–${money(Math.max(low, high), currency)}`;
}

/** Whether the place itself tells that the job is remote: "Remote (Europe)". */
export function saysRemote(job: { location: string | null }): boolean {
  return (job.location ?? "").toLowerCase().includes(texts.blocks.remote.toLowerCase());
}

/** What a source is called; one that has no name here is called by its key, in words. */
export function sourceName(key: string | null | undefined): string {
  const name = line(key, 120);
  const known = texts.blocks.sourceNames;
  return (Object.hasOwn(known, name) && known[name]) || name.replaceAll("_", " ");
}

/** A day as the API writes it ("2026-11-24", or a moment of that day). */
export function day(iso: string | null | undefined): Date | null {
  const found = /^(\d{4}-\d{2}-\d{2})(?:T|$)/.exec(iso ?? "");
  const date = found ? new Date(`${found[1]}T00:00:00Z`) : null;
  return date && Number.isFinite(date.getTime()) ? date : null;
}

export function absolute(date: Date): string {
  return calendarDay(date);
}

/** Whole days from the reader's today to `date`; negative for the past. */
export function daysFrom(date: Date, now: Date = new Date()): number {
  return Math.round((date.getTime() - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / DAY_MS);
}

export function relative(date: Date, now: Date = new Date()): string {
  const days = daysFrom(date, now);
  const far = Math.abs(days);
  const words = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
  if (far < 14) return words.format(days, "day");
  if (far < 60) return words.format(Math.trunc(days / 7), "week");
  if (far < 730) return words.format(Math.trunc(days / 30.4), "month");
  return words.format(Math.trunc(days / 365.25), "year");
}
