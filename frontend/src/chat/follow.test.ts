import { describe, expect, it } from "vitest";
import { atEnd, type Follow, laidOut, moved, startFollowing, unsettles } from "./follow";

const place = (top: number, height = 1_000, viewport = 400) => ({ top, height, viewport });
const following: Follow = { holds: "end", place: place(600) };
const left: Follow = { holds: null, place: place(100) };

describe("following the end", () => {
  it("begins at the end", () => {
    expect(startFollowing.holds).toBe("end");
    expect(atEnd(place(560))).toBe(true);
    expect(atEnd(place(500))).toBe(false);
  });

  it("goes on while the list grows, and when its window becomes another", () => {
    expect(laidOut(following, place(600, 1_200), null).place.top).toBe(800);
    expect(laidOut(following, place(600, 1_000, 200), null).place.top).toBe(800);
    expect(laidOut(following, place(200, 1_000, 800), null).place.top).toBe(200);
  });

  it("stops when the reader goes up, however little", () => {
    const up = moved(following, place(597), true, true);
    expect(up.holds).toBeNull();
    expect(laidOut(up, place(597, 1_200), null).place.top).toBe(597);
  });

  it("starts again when the reader is back at the end, and not before", () => {
    expect(moved(left, place(300), true, false).holds).toBeNull();
    expect(moved(left, place(590), true, false).holds).toBe("end");
  });

  it("starts again at the end that they went for, though that has moved on meanwhile", () => {
    expect(moved(left, place(600, 1_300), true, false).holds).toBe("end");
    expect(moved(left, place(500, 1_300), true, false).holds).toBeNull();
    expect(moved(left, place(600, 1_300), false, false).holds).toBeNull();
  });

  it("is not stopped by a list that bounces at its end", () => {
    expect(moved({ holds: "end", place: place(640) }, place(600), true, false).holds).toBe("end");
  });

  it("is not stopped by a list that became shorter, or by a window that became higher", () => {
    expect(moved(following, place(100, 500), true, false).holds).toBe("end");
    expect(moved(following, place(100, 1_000, 900), false, false).holds).toBe("end");
  });

  it("is not stopped by what the list corrects, but by a jump up that nothing explains", () => {
    expect(moved(following, place(420), false, false).holds).toBe("end");
    expect(moved(following, place(0), false, true).holds).toBe("end");
    expect(moved(following, place(100), false, false).holds).toBeNull();
  });

  it("knows when more than a little is to be corrected", () => {
    expect(unsettles(place(600), place(600, 9_000))).toBe(false);
    expect(unsettles(place(600), place(570, 970))).toBe(false);
    expect(unsettles(place(600), place(100, 500))).toBe(true);
    expect(unsettles(place(600), place(600, 1_000, 390))).toBe(true);
  });
});

describe("what is added below a finished text", () => {
  const at = (shown: Follow) => [shown.holds, shown.place.top];

  it("is shown as far as the text stays in sight", () => {
    expect(at(laidOut(following, place(600, 2_000), { top: 700, bottom: 800 }))).toEqual(["text", 700]);
    expect(at(laidOut(following, place(600, 1_050), { top: 700, bottom: 800 }))).toEqual(["end", 650]);
    expect(at(laidOut(following, place(600, 2_000), { top: 500, bottom: 1_000 }))).toEqual(["text", 600]);
  });

  it("comes after the end of a text whose last words came with it", () => {
    expect(at(laidOut(following, place(600, 9_000), { top: 500, bottom: 8_000 }))).toEqual(["text", 7_600]);
    expect(at(laidOut(following, place(600, 9_000), { top: 500, bottom: 8_900 }))).toEqual(["end", 8_600]);
  });

  it("does not push a short text out", () => {
    expect(at(laidOut(following, place(600, 1_120), { top: 595, bottom: 700 }))).toEqual(["text", 600]);
  });

  it("does not move who has left", () => {
    expect(at(laidOut(left, place(100, 9_000), { top: 500, bottom: 8_000 }))).toEqual([null, 100]);
  });
});
