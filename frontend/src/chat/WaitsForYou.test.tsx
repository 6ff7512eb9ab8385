// @vitest-environment happy-dom
import { type RunView, startedRun } from "@signalbox/client";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Session, SessionContext } from "../state/session";
import { Working } from "./Notices";

const RUN: RunView = { ...startedRun("r_1"), status: "waiting" };

function show(run: RunView, stop = vi.fn(async () => {})) {
  const session = { actions: { stop } } as unknown as Session;
  render(
    <SessionContext value={session}>
      <Working run={run} begun={true} />
      <textarea id="composer" />
    </SessionContext>,
  );
  return stop;
}

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: false })));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("an answer that waits can be stopped, by its own id, and its user goes on writing", async () => {
  const stop = show(RUN);
  fireEvent.click(screen.getByTestId("stop-waiting"));
  await waitFor(() => expect(document.activeElement?.id).toBe("composer"));
  expect(stop).toHaveBeenCalledExactlyOnceWith("r_1");
});

it("that it could not be stopped is said where it was asked for, and can be asked again", async () => {
  show(
    RUN,
    vi.fn(async () => Promise.reject(new Error("The server is away."))),
  );
  fireEvent.click(screen.getByTestId("stop-waiting"));
  expect(await screen.findByText(/The server is away/)).toBeTruthy();
  expect(screen.getByTestId<HTMLButtonElement>("stop-waiting").disabled).toBe(false);
});

it("an answer that goes on has no second place to be stopped at", () => {
  show({ ...RUN, status: "running" });
  expect(screen.queryByTestId("stop-waiting")).toBeNull();
});
