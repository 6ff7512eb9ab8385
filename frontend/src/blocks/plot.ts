/** Where the figures of a pay range stand on a line from 0 to 100. */

import type { BlockOf } from "./block";
import { finite, held } from "./format";

type Pay = BlockOf<"salary_range">;

export interface Plot {
  readonly ticks: readonly { at: number; value: number }[];
  /** Percentiles that are known, by their names. */
  readonly marks: Readonly<Partial<Record<"p10" | "p25" | "p50" | "p75" | "p90", number>>>;
  readonly figures: readonly { low: number; high: number }[];
  /** The pay that was asked about; `beyond` when it lies outside of what is drawn and is held to the edge. */
  readonly asked: { at: number; beyond: boolean } | null;
}

const MOST_FIGURES = 12;
// No pay is larger in any currency; one absurd figure would press all others into one point.
const LARGEST = 1e12;
const EDGE = 8;
const TICKS = 4;

/** Null where there is nothing to draw. */
export function plotOf(pay: Pay): Plot | null {
  const figures = pay.figures
    .filter((each) => drawable(each.min) && drawable(each.max))
    .slice(0, MOST_FIGURES);
  const points = [pay.p10, pay.p25, pay.p50, pay.p75, pay.p90].filter(drawable);
  const values = [...points, ...figures.flatMap((each) => [each.min, each.max])];
  if (values.length === 0) return null;
  const [low, high] = domain(values, pay.asked);
  const scale = (value: number) => EDGE + ((value - low) / (high - low)) * (100 - 2 * EDGE);
  const at = (value: number) => round(held(scale(value), 0, 100));
  return {
    ticks: ticks(low, high).map((value) => ({ at: at(value), value })),
    marks: Object.fromEntries(
      (["p10", "p25", "p50", "p75", "p90"] as const).flatMap((name) => {
        const value = pay[name];
        return drawable(value) ? [[name, at(value)]] : [];
      }),
    ),
    figures: figures.map((each) => ({
      low: at(Math.min(each.min, each.max)),
      high: at(Math.max(each.min, each.max)),
    })),
    asked: askedAt(pay.asked, scale),
  };
}

function drawable(value: number | null): value is number {
  const known = finite(value);
  return known !== null && known >= 0 && known < LARGEST;
}

/** All figures, and the pay asked about if it is not so far off that they would shrink to nothing. */
function domain(values: readonly number[], asked: number | null): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = high - low || high * 0.2 || 1;
  if (!drawable(asked) || asked < low - span || asked > high + span) {
    return high === low ? [low - span / 2, high + span / 2] : [low, high];
  }
  return [Math.min(low, asked), Math.max(high, asked, low + span / 2)];
}

/** Round values between the ends: the step is 1, 2 or 5 times a power of ten, whichever makes about as many as wanted. */
function ticks(low: number, high: number): number[] {
  const wanted = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(wanted));
  // Where the next larger step comes nearer, by ratio.
  const step =
    power *
    (wanted >= power * Math.sqrt(50)
      ? 10
      : wanted >= power * Math.sqrt(10)
        ? 5
        : wanted >= power * Math.SQRT2
          ? 2
          : 1);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}

function askedAt(asked: number | null, scale: (value: number) => number): Plot["asked"] {
  if (!drawable(asked)) return null;
  const at = scale(asked);
  return { at: round(held(at, EDGE / 2, 100 - EDGE / 2)), beyond: at < 0 || at > 100 };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
