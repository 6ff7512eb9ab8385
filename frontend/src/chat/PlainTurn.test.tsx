// @vitest-environment happy-dom
import { emptyView, startedRun } from "@signalbox/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { PlainTurn } from "./PlainTurn";
import { turnsOf } from "./turns";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Broken(): never {
  throw new RangeError("Maximum call stack size exceeded");
}

describe("a turn that cannot be drawn", () => {
  it("is shown in its words, and nothing beside it is gone", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const common = { runId: "r_1", status: "complete", agent: null, citations: [] } as const;
    const [turn] = turnsOf({
      ...emptyView,
      runs: [{ ...startedRun("r_1"), status: "succeeded" }],
      messages: [
        { ...common, messageId: "m_1", role: "user", text: "What is it?" },
        { ...common, messageId: "m_2", role: "assistant", text: "> > *deep* \u202Ewords" },
      ],
    });
    render(
      <>
        <ErrorBoundary fallback={turn && <PlainTurn turn={turn} />}>
          <Broken />
        </ErrorBoundary>
        <p>The composer</p>
      </>,
    );
    expect(screen.getByText("What is it?")).toBeTruthy();
    expect(screen.getByText("> > *deep* words")).toBeTruthy();
    expect(screen.getByText("The composer")).toBeTruthy();
  });
});
