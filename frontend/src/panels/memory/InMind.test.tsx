// @vitest-environment happy-dom
import type { ConversationSummary } from "@signalbox/client";
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { texts } from "../../texts";
import { refusal, stage } from "../stage.fixture";
import InMind from "./InMind";

const t = texts.panels.inMind;

afterEach(cleanup);

const NONE: ConversationSummary = {
  conversationId: "c_1",
  version: 0,
  createdAt: null,
  hardConstraints: [],
  jobPreferences: [],
  mentionedCompanies: [],
  decisions: [],
  openQuestions: [],
  currentGoal: null,
};
const noted = (text: string) => ({ text, sources: ["m_1"] });

function open(summary: () => Promise<ConversationSummary>) {
  return stage(<InMind conversationId="c_1" open onClose={() => undefined} />, { client: { summary } });
}

describe("what is kept in mind of a conversation", () => {
  it("is nothing while all of it is told word for word", async () => {
    open(async () => NONE);
    await screen.findByText(t.emptyHow);
  });

  it("stands by kind, those with nothing left out, and follows the answers", async () => {
    let summary: ConversationSummary = NONE;
    const { tell } = open(async () => summary);
    await screen.findByTestId("in-mind-empty");
    summary = {
      ...NONE,
      version: 1,
      createdAt: "2026-11-30T10:00:00Z",
      hardConstraints: [noted("I will not work nights."), noted("pay\u202E at least 50k")],
      currentGoal: noted("a job in Leeds"),
    };
    tell({ type: "complete" });
    const rules = within(await screen.findByLabelText(t.hardConstraints));
    rules.getByText("I will not work nights.");
    rules.getByText("pay at least 50k");
    within(screen.getByLabelText(t.currentGoal)).getByText("a job in Leeds");
    expect(screen.queryByLabelText(t.decisions)).toBeNull();
    expect(screen.queryByTestId("in-mind-empty")).toBeNull();
  });

  it("is not called nothing when it could not be looked up", async () => {
    let fails = true;
    open(async () => {
      if (fails) throw refusal("The database is away.", "store_unavailable", 503, true);
      return { ...NONE, version: 1 };
    });
    await screen.findByText("The database is away.");
    expect(screen.queryByTestId("in-mind-empty")).toBeNull();
    fails = false;
    fireEvent.click(screen.getByText(texts.ui.tryAgain));
    await screen.findByText(t.none);
  });
});
