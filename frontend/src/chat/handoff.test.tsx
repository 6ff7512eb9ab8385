// @vitest-environment happy-dom
import { type RunView, startedRun } from "@signalbox/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { HandoffNote } from "./Notices";

const SEEN: RunView = {
  ...startedRun("r_1"),
  handoffs: [{ fromAgent: "job_search", toAgent: "cover_letter", reason: "a letter was asked for" }],
};

afterEach(cleanup);

it("a hand-over that was seen is told with its reason", () => {
  render(<HandoffNote from="job_search" to="cover_letter" run={SEEN} />);
  expect(screen.getByTestId("handoff").textContent).toMatch(/hands over to .+: a letter was asked for$/);
});

it("where an older server told nothing, who speaks tells it, in the same words as far as they go", () => {
  render(<HandoffNote from="job_search" to="cover_letter" run={SEEN} />);
  const seen = screen.getByTestId("handoff").textContent ?? "";
  cleanup();
  render(<HandoffNote from="job_search" to="cover_letter" run={startedRun("r_1")} />);
  expect(`${screen.getByTestId("handoff").textContent}: a letter was asked for`).toBe(seen);
});

it.each([
  [null, "cover_letter"],
  ["cover_letter", null],
  ["cover_letter", "cover_letter"],
])("from %s to %s nothing is known to have been handed over", (from, to) => {
  render(<HandoffNote from={from} to={to} run={startedRun("r_1")} />);
  expect(screen.queryByTestId("handoff")).toBeNull();
});
