import { describe, expect, it } from "vitest";
import type { BlockOf } from "./block";
import { plotOf } from "./plot";

const PAY: BlockOf<"salary_range"> = {
  type: "salary_range",
  role: "backend engineer",
  location: "Berlin",
  asked_location: null,
  basis: "postings",
  source: "Job postings",
  source_id: null,
  url: null,
  occupation: null,
  n: 48,
  small_sample: false,
  sample: false,
  converted: 0,
  currency: "EUR",
  period: "year",
  p10: 50_000,
  p25: 60_000,
  p50: 70_000,
  p75: 80_000,
  p90: 90_000,
  method: "",
  figures: [],
  asked: null,
  asked_share: null,
  date_from: null,
  date_to: null,
};
const FIGURE = {
  job_id: "b:1",
  title: "Engineer",
  company: "Quillmark",
  min: 55_000,
  max: 65_000,
  posted_at: null,
};

describe("a pay range drawn", () => {
  it("puts each percentile where it stands between the ends", () => {
    expect(plotOf(PAY)?.marks).toEqual({ p10: 8, p25: 29, p50: 50, p75: 71, p90: 92 });
  });

  it("has ticks in the order of their values, inside of the plot", () => {
    const ticks = plotOf(PAY)?.ticks ?? [];
    expect(ticks.length).toBeGreaterThan(2);
    expect(ticks.map((tick) => tick.value)).toEqual([50_000, 60_000, 70_000, 80_000, 90_000]);
    expect(ticks.every((tick) => tick.at >= 8 && tick.at <= 92)).toBe(true);
  });

  it("draws single figures where no percentile is known, with their ends in order", () => {
    const none = { p10: null, p25: null, p50: null, p75: null, p90: null };
    const plot = plotOf({ ...PAY, ...none, figures: [{ ...FIGURE, min: 65_000, max: 55_000 }] });
    expect(plot?.marks).toEqual({});
    expect(plot?.figures).toEqual([{ low: 8, high: 92 }]);
  });

  it("makes room for the pay asked about, and holds one far off to the edge", () => {
    expect(plotOf({ ...PAY, asked: 100_000 })?.asked).toEqual({ at: 92, beyond: false });
    expect(plotOf({ ...PAY, asked: 1_000_000 })?.asked).toEqual({ at: 96, beyond: true });
    expect(plotOf({ ...PAY, asked: 1 })?.asked).toEqual({ at: 4, beyond: true });
    expect(plotOf({ ...PAY, asked: 1_000_000 })?.marks.p50).toBe(50);
  });

  it("leaves out figures that nobody is paid", () => {
    const plot = plotOf({
      ...PAY,
      p90: 1e300,
      p10: -5,
      asked: Number.NaN,
      figures: [{ ...FIGURE, max: 1e300 }],
    });
    expect(Object.keys(plot?.marks ?? {})).toEqual(["p25", "p50", "p75"]);
    expect(plot?.figures).toEqual([]);
    expect(plot?.asked).toBeNull();
  });

  it("draws one value in the middle, and nothing where there is none", () => {
    const none = { p10: null, p25: null, p75: null, p90: null };
    expect(plotOf({ ...PAY, ...none })?.marks).toEqual({ p50: 50 });
    expect(plotOf({ ...PAY, ...none, p50: null })).toBeNull();
  });
});
