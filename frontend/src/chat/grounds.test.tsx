// @vitest-environment happy-dom
import { type Citation, type RunView, startedRun, startedTool } from "@signalbox/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { EVERY, job, jobsData } from "../blocks/samples.fixture";
import { texts } from "../texts";
import { FailedTools } from "./Notices";
import { agentName, toolName } from "./names";
import { Sources } from "./Sources";
import { areListed } from "./source";

const citations = (...ids: string[]): Citation[] =>
  ids.map((id) => ({ id, title: `About ${id}`, source: "guides", url: null, heading: "", as_of: null }));

afterEach(cleanup);

describe("the sources of an answer", () => {
  it("are named where they are few", () => {
    render(<Sources citations={citations("a", "b", "c")} />);
    expect(screen.getAllByTestId("source").map(({ textContent }) => textContent)).toEqual([
      "1About a",
      "2About b",
      "3About c",
    ]);
    expect(screen.queryByTestId("show-sources")).toBeNull();
  });

  it("are counted where they are many, and named when asked for", () => {
    render(<Sources citations={citations("a", "b", "c", "d")} />);
    expect(screen.queryAllByTestId("source")).toEqual([]);
    const all = screen.getByRole("button", { name: texts.chat.showSources(4), expanded: false });
    fireEvent.click(all);
    expect(screen.getAllByTestId("source").length).toBe(4);
    fireEvent.click(all);
    expect(screen.queryAllByTestId("source")).toEqual([]);
  });

  it("are left out only where all of them are among the jobs below", () => {
    const list = jobsData({ jobs: [job({ job_id: "j1" }), job({ job_id: "j2" })] });
    expect(areListed(citations("j2", "j1"), [list])).toBe(true);
    expect(areListed(citations("j1", "guide"), [list])).toBe(false);
    expect(areListed(citations("j1"), [EVERY.skill_gap])).toBe(false);
    const judged = EVERY.job_match.verdicts.map(({ job: { job_id } }) => job_id);
    expect(areListed(citations(...judged), [EVERY.job_match])).toBe(true);
  });
});

describe("what was looked up", () => {
  const run: RunView = {
    ...startedRun("r_1"),
    status: "succeeded",
    tools: [
      { ...startedTool("1", "search_knowledge"), status: "empty", note: "none" },
      { ...startedTool("2", "find_wages"), status: "error", note: "down" },
    ],
  };

  it("and not found is told where the answer rests on nothing else", () => {
    render(<FailedTools run={run} grounded={false} />);
    expect(screen.getByTestId("nothing-found").textContent).toContain("Careers guides: none");
    expect(screen.getByTestId("lookup-failed").textContent).toContain("Wage tables: down");
  });

  it("and what its user did not want done is no look-up that failed", () => {
    const tools = ["rejected", "expired"].map((kind) => ({
      ...startedTool(kind, "send_email"),
      ...{ status: "error" as const, kind, note: "no" },
    }));
    render(<FailedTools run={{ ...run, tools }} grounded={false} />);
    expect(screen.queryByTestId("lookup-failed")).toBeNull();
  });

  it("and not found is left to the details elsewhere, but never what could not be looked up", () => {
    render(<FailedTools run={run} grounded />);
    expect(screen.queryByTestId("nothing-found")).toBeNull();
    expect(screen.getByTestId("lookup-failed")).toBeTruthy();
  });
});

describe("names", () => {
  it("are words, whatever the server calls them", () => {
    expect(agentName("clarify")).toBe(texts.chat.assistant);
    expect(agentName("visa_help")).toBe("Visa help");
    expect(toolName("search_knowledge")).toBe("Careers guides");
    expect(toolName("count_beans")).toBe("Count beans");
  });
});
