/** Waiting: jittered, capped, and never sooner than asked. */

import { expect, test } from "vitest";
import { Backoff, MAX_FLOOR_MS, retryAfter } from "../src/stream/backoff.js";
import { seeded } from "./server.js";

const NOW = Date.UTC(2026, 0, 1, 12);

test("the longest wait doubles up to the cap, and begins anew after a success", () => {
  const backoff = new Backoff(250, 15_000, () => 1);
  const waits = Array.from({ length: 9 }, () => backoff.next());
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  backoff.reset();
  expect(backoff.next()).toBe(250);
});

test("jitter is full: any wait from nothing to the longest", () => {
  const random = seeded(1);
  const waits = Array.from({ length: 2_000 }, () => {
    const backoff = new Backoff(100, 800, random);
    for (let failures = 0; failures < 5; failures += 1) backoff.next();
    return backoff.next();
  });
  expect(Math.min(...waits)).toBeLessThan(8);
  expect(Math.max(...waits)).toBeGreaterThan(792);
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  expect(mean).toBeGreaterThan(370);
  expect(mean).toBeLessThan(430);
});

test("what was asked for is the least there is, but nothing absurd", () => {
  expect(new Backoff(250, 15_000, () => 0).next(30_000)).toBe(30_000);
  expect(new Backoff(250, 15_000, () => 0).next(-1)).toBe(0);
  expect(new Backoff(250, 15_000, () => 0).next(900_000_000)).toBe(MAX_FLOOR_MS);
});

test("a thousand failures are still a number", () => {
  const backoff = new Backoff(250, 15_000, () => 0);
  for (let count = 0; count < 2_000; count += 1) expect(backoff.next()).toBe(0);
});

test.each([
  ["120", 120_000],
  [" 0 ", 0],
  ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
  ["Thursday, 01-Jan-26 12:00:30 GMT", 30_000],
  ["Thu Jan  1 12:00:30 2026", 30_000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  [null, 0],
  ["", 0],
  ["-5", 0],
  ["1.5", 0],
  ["soon", 0],
  ["Monday never", 0],
])("Retry-After %j is %d ms", (value, ms) => {
  expect(retryAfter(value, NOW)).toBe(ms);
});
