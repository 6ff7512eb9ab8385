import { describe, expect, it } from "vitest";
import { absolute, day, daysFrom, held, money, pay, percent, relative, whole } from "./format";

const salary = { min: 60_000, max: 80_000, currency: "EUR", period: "year" };

describe("pay", () => {
  it.each([
    [salary, "€60,000–€80,000 a year"],
    [{ ...salary, max: null }, "from €60,000 a year"],
    [{ ...salary, min: null }, "up to €80,000 a year"],
    [{ ...salary, max: 60_000 }, "€60,000 a year"],
    [{ ...salary, min: 90_000 }, "€80,000–€90,000 a year"],
    [{ min: 17.5, max: 22, currency: "usd", period: "hour" }, "$17.50–$22 an hour"],
    [{ ...salary, currency: null, period: null }, "60,000–80,000"],
    [{ ...salary, currency: "€uro<b>", period: "moon" }, "60,000 €uro<b>–80,000 €uro<b> per moon"],
    [{ ...salary, min: null, max: null }, null],
    [{ ...salary, min: Number.NaN, max: null }, null],
    [null, null],
  ])("of %j is %j", (stated, said) => {
    expect(pay(stated)).toBe(said);
  });

  it("stays short whatever is stated", () => {
    for (const value of [1e300, -1e300, Number.POSITIVE_INFINITY, Number.NaN, 123456789012345]) {
      expect(money(value, "EUR").length).toBeLessThan(16);
      expect(whole(value).length).toBeLessThan(16);
    }
  });
});

describe("shares", () => {
  it("are held between nothing and all", () => {
    expect([percent(0.256), percent(7), percent(-1), percent(Number.NaN)]).toEqual([
      "26%",
      "100%",
      "0%",
      "0%",
    ]);
    expect(held(Number.NaN, 2, 5)).toBe(2);
  });
});

describe("days", () => {
  const now = new Date(2026, 10, 30, 23, 30);

  it.each([
    ["2026-11-30", "today"],
    ["2026-11-29", "yesterday"],
    ["2026-11-24", "6 days ago"],
    ["2026-12-02", "in 2 days"],
    ["2026-11-01", "4 weeks ago"],
    ["2026-06-01", "5 months ago"],
    ["2020-01-01", "6 years ago"],
  ])("%s is %s", (iso, said) => {
    const date = day(iso);
    expect(date && relative(date, now)).toBe(said);
  });

  it("are those of the calendar, in any time zone", () => {
    const date = day("2026-11-24T23:59:00Z");
    expect(date && absolute(date)).toBe("24 Nov 2026");
    expect(date && daysFrom(date, now)).toBe(-6);
  });

  it.each(["", "soon", "2026-13-45", "24/11/2026", null])("%j is none", (iso) => {
    expect(day(iso)).toBeNull();
  });
});
