/** Where signals of waking come from, and that nothing of a listener stays behind. */

import { describe, expect, test } from "vitest";
import { appWake, pageWake, stillWake, type WakeSignal } from "../src/stream/wake.js";
import { Watchdog } from "../src/stream/watchdog.js";
import { HandClock } from "./hand.js";

class Page extends EventTarget {
  readonly document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  readonly navigator = { onLine: true };
  listeners = 0;

  constructor() {
    super();
    for (const target of [this as EventTarget, this.document]) {
      const { addEventListener, removeEventListener } = target;
      target.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        this.listeners += 1;
        addEventListener.apply(target, args);
      };
      target.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
        this.listeners -= 1;
        removeEventListener.apply(target, args);
      };
    }
  }
}

function listened() {
  const page = new Page();
  const source = pageWake(page as unknown as typeof globalThis);
  const heard: WakeSignal[] = [];
  const stop = source.listen((signal) => heard.push(signal));
  return { page, source, heard, stop };
}

describe("a page", () => {
  test("tells of the network, of being seen again and of having been frozen", () => {
    const { page, heard } = listened();
    page.dispatchEvent(new Event("offline"));
    page.dispatchEvent(new Event("online"));
    page.document.visibilityState = "hidden";
    page.document.dispatchEvent(new Event("visibilitychange"));
    page.document.visibilityState = "visible";
    page.document.dispatchEvent(new Event("visibilitychange"));
    page.document.dispatchEvent(new Event("resume"));
    expect(heard).toEqual(["offline", "online", "visible", "thawed"]);
  });

  test("was thawed when it comes from the back-forward cache, not when it is first shown", () => {
    const { page, heard } = listened();
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    expect(heard).toEqual([]);
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    expect(heard).toEqual(["thawed"]);
  });

  test("is online as its navigator says", () => {
    const { page, source } = listened();
    expect(source.online).toBe(true);
    page.navigator.onLine = false;
    expect(source.online).toBe(false);
  });

  test("keeps no listener", () => {
    const { page, heard, stop } = listened();
    expect(page.listeners).toBe(5);
    stop();
    expect(page.listeners).toBe(0);
    page.dispatchEvent(new Event("online"));
    expect(heard).toEqual([]);
  });
});

test("Node has nothing to tell", () => {
  expect(pageWake()).toBe(stillWake);
  expect(stillWake.online).toBe(true);
  stillWake.listen(() => {})();
});

test("an app tells when it is active again", () => {
  const listeners = new Set<(state: string) => void>();
  const source = appWake({
    addEventListener: (_, listener) => {
      listeners.add(listener);
      return { remove: () => listeners.delete(listener) };
    },
  });
  const heard: WakeSignal[] = [];
  const stop = source.listen((signal) => heard.push(signal));
  for (const state of ["inactive", "background", "active"]) for (const listener of listeners) listener(state);
  expect(heard).toEqual(["visible"]);
  stop();
  expect(listeners.size).toBe(0);
});

describe("the watchdog", () => {
  function watched() {
    const clock = new HandClock();
    const noticed: string[] = [];
    const dog = new Watchdog(clock, {
      silent: () => noticed.push("silent"),
      slept: () => noticed.push("slept"),
    });
    return { clock, noticed, dog };
  }

  test.each([80, 45_000])("notices %d ms of silence, and no less", (limit) => {
    const { clock, noticed, dog } = watched();
    dog.watch(limit);
    clock.advance(limit - 1);
    dog.heard();
    clock.advance(limit - 1);
    expect(noticed).toEqual([]);
    clock.advance(1);
    expect(noticed[0]).toBe("silent");
  });

  test("notices sleep soon after it, even where silence means nothing", () => {
    const { clock, noticed, dog } = watched();
    dog.watch(Number.POSITIVE_INFINITY);
    clock.advance(600_000);
    expect(noticed).toEqual([]);
    clock.sleep(60_000);
    expect(noticed).toEqual(["slept"]);
  });

  test("takes no harm from a clock that is set back", () => {
    const { clock, noticed, dog } = watched();
    dog.watch(45_000);
    clock.set(-3_600_000);
    clock.advance(10_000);
    dog.heard();
    clock.advance(44_000);
    expect(noticed).toEqual([]);
    clock.set(-3_600_000);
    clock.advance(55_000);
    expect(noticed).toContain("silent");
  });

  test("stops", () => {
    const { clock, noticed, dog } = watched();
    dog.watch(100);
    dog.stop();
    expect(clock.pending).toBe(0);
    clock.advance(1_000);
    expect(noticed).toEqual([]);
  });
});
