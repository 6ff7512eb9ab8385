import { describe, expect, it } from "vitest";
import { atEnd, moved, startFollowing, target } from "./follow";

const place = (top: number, height = 1_000) => ({ top, height, viewport: 400 });
const following = { following: true, place: place(600) };

describe("following the end", () => {
  it("goes on while the list grows", () => {
    expect(target(following, place(600, 1_200), null)).toBe(800);
  });

  it("stops when the reader goes up", () => {
    const up = moved(following, place(540), true);
    expect(up.following).toBe(false);
    expect(target(up, place(540, 1_200), null)).toBeNull();
  });

  it("starts again when the reader is back at the end", () => {
    const up = moved(following, place(300), true);
    expect(moved(up, place(590), true).following).toBe(true);
  });

  it("is not stopped by a list that became shorter, or by a keyboard that opened", () => {
    expect(moved({ following: true, place: place(600, 1_000) }, place(420, 900), false).following).toBe(true);
    expect(moved(following, { top: 590, height: 1_000, viewport: 300 }, false).following).toBe(true);
  });

  it("is not stopped by a correction of the list, but by a jump up that nothing explains", () => {
    expect(moved(following, place(540), false).following).toBe(true);
    expect(moved(following, place(100), false).following).toBe(false);
  });

  it("does not start for a reader who goes down but not to the end", () => {
    expect(moved({ following: false, place: place(100) }, place(300), true).following).toBe(false);
  });

  it("shows results below a text only as far as the text stays in sight", () => {
    expect(target(following, place(600, 2_000), 700)).toBe(700);
    expect(target(following, place(600, 1_050), 700)).toBe(650);
    expect(target(following, place(600, 2_000), 500)).toBeNull();
  });

  it("begins at the end", () => {
    expect(startFollowing.following).toBe(true);
    expect(atEnd(place(560))).toBe(true);
    expect(atEnd(place(500))).toBe(false);
  });
});
