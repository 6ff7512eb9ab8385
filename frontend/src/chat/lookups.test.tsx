// @vitest-environment happy-dom
import { type RunView, startedRun, startedTool, type ToolView } from "@signalbox/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { EVERY, jobsData } from "../blocks/samples.fixture";
import { texts } from "../texts";
import { outcomeOf, toldWhole } from "./lookups";
import { BudgetNote, FailedTools, Working } from "./Notices";
import { RunDetails } from "./RunDetails";

afterEach(cleanup);

function tool(changes: Partial<ToolView>): ToolView {
  return { ...startedTool("1", "search_jobs"), ...changes };
}

const MISSED = ["Board A (it did not answer in time)"];
const FOUND = tool({ status: "ok" });
const CUT = tool({ status: "ok", truncated: true, total: 2260, note: "100 of 2,260" });
const PART = tool({ status: "ok", missed: MISSED });
const EMPTY = tool({ status: "empty", note: "welder jobs" });
const UNSURE = tool({ status: "error", kind: "incomplete", missed: MISSED });
const FAILED = tool({ status: "error", kind: "rate_limit" });
const NOT_DONE = tool({ tool: "send_email", status: "error", kind: "rejected" });

describe("how a look-up went", () => {
  it("has a name for each outcome, and none for two of them", () => {
    const all = [tool({}), FOUND, CUT, PART, EMPTY, UNSURE, FAILED, NOT_DONE];
    const names = all.map(outcomeOf);
    expect(names).toEqual(["running", "found", "cut", "part", "empty", "unsure", "failed", "undone"]);
    expect(new Set(all.map(toldWhole)).size).toBe(all.length);
    expect(new Set(names.map((name) => texts.chat.outcomes[name])).size).toBe(names.length);
  });

  it("says that nothing is there only of what was looked through whole", () => {
    for (const one of [CUT, PART, UNSURE, FAILED, NOT_DONE])
      expect(toldWhole(one)).not.toMatch(/nothing found|no .*(jobs|results)/i);
    expect(toldWhole(EMPTY)).toBe("Job search: looked, nothing found (welder jobs)");
  });

  it("tells how much, what was not asked, and why, where the look-up did not", () => {
    expect(toldWhole(CUT)).toContain("(100 of 2,260)");
    expect(toldWhole({ ...CUT, note: "" })).toContain("(of 2,260)");
    expect(toldWhole(PART)).toContain("could not ask Board A (it did not answer in time)");
    expect(toldWhole(FAILED)).toBe("Job search: could not look (it asks to be left alone for a while)");
    expect(toldWhole({ ...FAILED, kind: "newer_kind" })).toBe("Job search: could not look");
    expect(toldWhole({ ...FAILED, kind: "constructor" })).toBe("Job search: could not look");
  });
});

describe("notices under an answer", () => {
  const run = (...tools: ToolView[]): RunView => ({ ...startedRun("r_1"), status: "succeeded", tools });

  it("warn of what was looked through in part, apart from what could not be looked up", () => {
    render(<FailedTools run={run(PART, { ...FAILED, callId: "2" }, EMPTY)} grounded />);
    expect(screen.getByTestId("lookup-partial").textContent).toContain("Board A");
    expect(screen.getByTestId("lookup-failed").textContent).toContain("left alone");
    expect(screen.queryByTestId("nothing-found")).toBeNull();
  });

  it("never call nothing what was found in no part", () => {
    render(<FailedTools run={run(UNSURE)} grounded={false} />);
    screen.getByTestId("lookup-partial");
    expect(screen.queryByTestId("nothing-found")).toBeNull();
  });

  it("leave it to a list of jobs that names its sources", () => {
    const partly = { name: "Board A", status: "ok", partial: true, note: "" } as const;
    const told = { ...run(PART), blocks: [jobsData({ sources: [partly] })], owners: [null] };
    render(<FailedTools run={told} grounded />);
    expect(screen.queryByTestId("lookup-partial")).toBeNull();
    cleanup();
    render(<FailedTools run={{ ...told, blocks: [EVERY.skill_gap] }} grounded />);
    screen.getByTestId("lookup-partial");
  });

  it("say of a spent budget what follows", () => {
    render(<BudgetNote text={undefined} />);
    expect(screen.queryByTestId("budget-spent")).toBeNull();
    render(<BudgetNote text="Your budget is used up." />);
    screen.getByText("Your budget is used up.");
  });
});

describe("while a tool of another server runs", () => {
  const going = startedTool("1", "files__read_file");
  const run: RunView = { ...startedRun("r_1"), tools: [going] };
  const told = (changes: Partial<RunView>) => {
    cleanup();
    render(<Working run={{ ...run, ...changes }} begun={false} />);
    return screen.getByTestId("working").textContent;
  };

  it("it is named by its own name and its server's", () => {
    expect(told({})).toBe("Read file (files)…");
  });

  it("its progress is told, and no longer than it runs", () => {
    const thinking = { stage: "tool", label: "files: 3 of 10" };
    expect(told({ thinking })).toBe("files: 3 of 10");
    expect(told({ thinking, tools: [{ ...going, status: "ok" }] })).toBe(texts.chat.thinking);
    const ours = startedTool("2", "find_wages");
    expect(told({ thinking, tools: [{ ...going, status: "ok" }, ours] })).toBe("Wage tables…");
    expect(told({ thinking: { stage: "budget", label: "spent" }, tools: [] })).toBe(texts.chat.thinking);
    expect(told({ thinking: { stage: "reading", label: "Reading" }, tools: [] })).toBe("Reading");
  });
});

describe("the details of an answer", () => {
  it("have the cost and the cached tokens of each call, and all together", () => {
    const call = { inputTokens: 1200, cachedTokens: 1000, outputTokens: 80, estimated: false };
    const usage = [
      { ...call, model: "large", costUsd: 0.002 },
      { ...call, model: "small", costUsd: 0.001, cachedTokens: 0 },
      { ...call, model: "unlisted", costUsd: null },
      { ...call, model: "offline", costUsd: null },
    ];
    render(<RunDetails run={{ ...startedRun("r_1"), status: "succeeded", tools: [CUT], usage }} />);
    const details = screen.getByTestId("run-details");
    fireEvent(Object.assign(details, { open: true }), new Event("toggle"));
    expect(details.textContent).toContain("large: 1,200 tokens read (1,000 cached), 80 written, $0.0020");
    expect(details.textContent).toContain(
      "unlisted: 1,200 tokens read (1,000 cached), 80 written, price not known",
    );
    expect(details.textContent).toMatch(/offline: .* free/);
    expect(details.textContent).toContain("together more than $0.0030");
    expect(details.textContent).toContain("found more than is shown (100 of 2,260)");
  });
});
