// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { texts } from "../texts";
import { later } from "./later";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A part that cannot be fetched for so many times. */
function partAfter(failures: number) {
  let left = failures;
  const load = vi.fn(async () => {
    left -= 1;
    if (left >= 0) throw new TypeError("Failed to fetch dynamically imported module");
    return () => <p>The part</p>;
  });
  return { load, Part: later<object>(load) };
}

async function shown(Part: React.ComponentType) {
  render(
    <ErrorBoundary>
      <Suspense fallback={<p>Wait</p>}>
        <Part />
      </Suspense>
    </ErrorBoundary>,
  );
  await act(() => vi.advanceTimersByTimeAsync(10_000));
}

describe("later", () => {
  it("fetches a part once, however often it is shown", async () => {
    const { load, Part } = partAfter(0);
    Part.prefetch();
    await shown(Part);
    cleanup();
    await shown(Part);
    expect(screen.getByText("The part")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("gets over two failures without a word", async () => {
    const { load, Part } = partAfter(2);
    await shown(Part);
    expect(screen.getByText("The part")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(3);
  });

  it("offers a reload after more of them, and can be tried again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { load, Part } = partAfter(3);
    await shown(Part);
    expect(screen.getByText(texts.shell.partNotLoaded, { exact: false })).toBeTruthy();
    expect(screen.getByRole("button", { name: texts.shell.reload })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: texts.ui.tryAgain }));
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(screen.getByText("The part")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(4);
  });
});
