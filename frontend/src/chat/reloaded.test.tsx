// @vitest-environment happy-dom
/** A conversation as the store has it, drawn: what a reload of the page leaves of a turn. */

import { emptyView, reduceAll, type SignalboxEvent } from "@signalbox/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import handedOver from "../../../tests/golden/handoff_and_rewind_reloaded.json";
import uninterrupted from "../../../tests/golden/uninterrupted.json";
import { type Session, SessionContext } from "../state/session";
import { texts } from "../texts";
import { TurnView } from "./TurnView";
import { turnsOf } from "./turns";

function show(events: SignalboxEvent[]) {
  const view = reduceAll(emptyView, events);
  const session = { actions: {}, announce: vi.fn(), live: { state: { view } } } as unknown as Session;
  return render(
    <SessionContext value={session}>
      {turnsOf(view).map((turn) => (
        <TurnView key={turn.run.runId} turn={turn} view={view} chosen={new Set()} newest={true} />
      ))}
    </SessionContext>,
  );
}

const recorded = (transcript: { events: unknown[] }) => transcript.events as SignalboxEvent[];

const CLARIFY = "Which of these did you mean?";
const ASKED = recorded(uninterrupted).filter(({ type }) =>
  ["run_started", "suggestions", "complete"].includes(type),
);

function asking(answer: string): SignalboxEvent[] {
  const [begun, offered, over] = ASKED as [SignalboxEvent, SignalboxEvent, SignalboxEvent];
  const said = { ...begun, type: "message", message_id: "m_1_answer", agent: "clarify", citations: [] };
  return [begun, { ...said, content: answer } as never, { ...offered, text: CLARIFY } as never, over];
}

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: false })));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("tells why one agent gave over to another, and that a text was begun anew", () => {
  show(recorded(handedOver));
  expect(screen.getByTestId("handoff").textContent).toMatch(/: Now the mail\.$/);
  expect(screen.getAllByText(texts.chat.rewound)).toHaveLength(1);
  const answers = screen.getAllByTestId("message-assistant");
  expect(answers.map((answer) => answer.textContent?.includes(texts.chat.rewound))).toEqual([false, true]);
});

it("shows a question back once, though quick replies ask it in the same words", () => {
  show(asking(CLARIFY));
  const legend = document.querySelector("legend");
  expect(legend?.textContent).toBe(CLARIFY);
  expect(legend?.className).toBe("visually-hidden");
});

it("shows what quick replies ask beside an answer of other words", () => {
  show(asking("Here it is."));
  expect(document.querySelector("legend")?.className).not.toBe("visually-hidden");
});
