// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { naming, placeOf } from "./asking";
import { EVERY, job, jobsData } from "./samples.fixture";
import { show, viewOf } from "./shown.fixture";

afterEach(cleanup);

const MANY = Array.from({ length: 50 }, (_, index) =>
  job({ job_id: `board:${index + 1}`, title: `Job ${index + 1}` }),
);

describe("a list of jobs", () => {
  it("says how many there are besides those shown", () => {
    show(jobsData({ total: 2_260, truncated: true }));
    expect(screen.getByRole("heading", { level: 3 }).textContent).toBe("2 of 2,260 jobs");
  });

  it("collapses when it is long, and opens", () => {
    show(jobsData({ jobs: MANY, total: 50 }));
    expect(screen.getAllByTestId("job-card")).toHaveLength(5);
    fireEvent.click(screen.getByRole("button", { name: "Show 45 more" }));
    expect(screen.getAllByTestId("job-card")).toHaveLength(50);
  });

  it("shows of a job what decides about it", () => {
    show(jobsData());
    const [first, second] = screen.getAllByTestId("job-card");
    const told = first?.textContent;
    for (const part of [
      "Copperleaf Mobility",
      "Berlin, Germany",
      "Remote",
      "€60,000–€80,000 a year",
      "24 Nov 2026",
    ]) {
      expect(told).toContain(part);
    }
    expect(told).not.toContain("Sample");
    expect(second?.textContent).toContain("Sample");
    expect(screen.getByText(/nobody can apply to them/)).toBeTruthy();
  });

  it("explains a score when asked: points of each part, and why", () => {
    const { container } = show(jobsData({ jobs: [job()] }));
    expect(screen.queryByText("pays all of what you ask")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /Why this match score/ }));
    expect(screen.getByText("26.7 of 40")).toBeTruthy();
    expect(screen.getByText("pays all of what you ask")).toBeTruthy();
    const bars = [...container.querySelectorAll<HTMLElement>("[style]")].map((bar) => bar.style.inlineSize);
    expect(bars).toEqual(["71%", "66.75%", "100%"]);
  });

  it("tells skills the user has from those not known, also without colours", () => {
    show(jobsData({ jobs: [job()] }));
    const skills = within(screen.getByRole("list", { name: "Skills it names" })).getAllByRole("listitem");
    expect(skills.map((skill) => skill.textContent)).toEqual([
      "✓You have Python",
      "✓You have SQL",
      "○Not known of you: Kafka",
    ]);
  });
});

describe("sources", () => {
  const failed = { name: "Board A", status: "error", partial: false, note: "timed out" } as const;
  const empty = { name: "Board B", status: "empty", partial: false, note: "" } as const;

  it("that could not be asked make a list partial", () => {
    show(jobsData({ sources: [failed, empty] }));
    expect(screen.getByText("This list is partial: 1 of 2 sources could not be asked.")).toBeTruthy();
    expect(screen.getByText(/Board A/).parentElement?.textContent).toBe(
      "Board A could not be asked: timed out",
    );
    expect(screen.getByText(/Board B/).parentElement?.textContent).toBe(
      "○ Board B searched, nothing found there",
    );
  });

  it("that all failed say nothing about what exists", () => {
    show(jobsData({ jobs: [], total: 0, sources: [failed] }));
    expect(screen.getByText(/does not say that there are no such jobs/)).toBeTruthy();
    expect(screen.queryByText("No jobs found.")).toBeNull();
  });

  it("that were all searched make nothing found an answer", () => {
    show(jobsData({ jobs: [], total: 0, sources: [empty] }));
    expect(screen.getByText("No jobs found.")).toBeTruthy();
  });

  it("that failed in part do not make it one", () => {
    show(jobsData({ jobs: [], total: 0, sources: [empty, failed] }));
    expect(screen.getByText(/could be looked, but 1 of 2 sources could not be asked/)).toBeTruthy();
    expect(screen.queryByText("No jobs found.")).toBeNull();
  });

  it("that were searched only in part are warned of, and make nothing found no answer", () => {
    const partly = { ...empty, partial: true };
    show(jobsData({ sources: [{ ...partly, status: "ok" }, failed, empty] }));
    screen.getByText("This list is partial: 1 of 3 sources could not be asked, 1 only in part.");
    expect(screen.getAllByText(/Board B/)[0]?.parentElement?.textContent).toBe("Board B searched in part");
    cleanup();
    show(jobsData({ jobs: [], total: 0, sources: [partly] }));
    screen.getByText(/but 1 of 1 source could be searched only in part/);
    screen.getByText(/searched in part, nothing found there/);
    expect(screen.queryByText("No jobs found.")).toBeNull();
  });
});

describe("comparing", () => {
  it("takes two to four jobs and sets them side by side", () => {
    show(jobsData({ jobs: MANY.slice(0, 6), total: 6 }));
    const compare = screen.getByTestId("compare");
    const boxes = screen.getAllByRole<HTMLInputElement>("checkbox");
    expect(compare.hasAttribute("disabled")).toBe(true);
    for (const index of [3, 0, 1, 2]) {
      const box = boxes[index];
      if (box) fireEvent.click(box);
    }
    expect(boxes.map((box) => box.disabled)).toEqual([false, false, false, false, true, true]);
    fireEvent.click(compare);
    const table = within(screen.getByRole("table"));
    expect(table.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual([
      "Job",
      "1. Job 1",
      "2. Job 2",
      "3. Job 3",
      "4. Job 4",
    ]);
    expect(table.getAllByRole("rowheader").map((cell) => cell.textContent)).toEqual([
      "Company",
      "Place",
      "Pay",
      "Match",
      "Skills you have",
      "Not known of you",
      "Posted",
      "Source",
    ]);
  });

  it("is not offered for one job", () => {
    show(jobsData({ jobs: [job()], total: 1 }));
    expect(screen.queryByTestId("compare")).toBeNull();
  });
});

describe("asking about a job", () => {
  it("sends a message that names it by its number", async () => {
    const { send } = show(jobsData());
    const second = screen.getAllByTestId("job-card")[1];
    if (second === undefined) throw new Error("there are two jobs");
    fireEvent.click(within(second).getByRole("button", { name: /^Ask about this job/ }));
    fireEvent.click(within(second).getByRole("button", { name: "Write a cover letter" }));
    await vi.waitFor(() => expect(send).toHaveBeenCalledWith("Write a cover letter for the second job"));
  });

  it("says in the server's words that it was not taken", async () => {
    const { send, announce } = show(jobsData({ jobs: [job()] }));
    send.mockRejectedValueOnce(new Error("Too many messages: wait a minute."));
    fireEvent.click(screen.getByRole("button", { name: /^Ask about this job/ }));
    fireEvent.click(screen.getByRole("button", { name: "About the company" }));
    await vi.waitFor(() =>
      expect(announce).toHaveBeenCalledWith("Too many messages: wait a minute.", "error"),
    );
  });

  it("names a job of an older list: numbers are those of the newest", () => {
    const newer = jobsData({ jobs: [job({ job_id: "board:9" })] });
    const { view } = viewOf(jobsData(), newer);
    expect(placeOf(view, job())).toBeNull();
    expect(naming(null, job({ title: "Data\u202E\nEngineer" }))).toBe(
      "“Data Engineer” at Copperleaf Mobility",
    );
    expect(placeOf(view, job({ job_id: "board:9" }))).toBe(1);
    expect(placeOf(viewOf(jobsData({ jobs: MANY })).view, job({ job_id: "board:42" }))).toBe(42);
    expect(naming(42, job())).toBe("job 42");
  });

  it("offers of an older list only what a name is enough for", () => {
    show(jobsData({ jobs: [job()] }), [jobsData({ jobs: [job({ job_id: "board:9" })] })]);
    fireEvent.click(screen.getByRole("button", { name: /^Ask about this job/ }));
    expect(screen.getByRole("button", { name: "Write a cover letter" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "I applied" })).toBeNull();
  });

  it("does not count lists that were taken back", () => {
    const { view, run } = viewOf(jobsData({ jobs: [job({ job_id: "board:9" })] }));
    const before = { ...run, runId: "r_0", blocks: [jobsData()] };
    const runs = [before, { ...run, retracted: true }];
    expect(placeOf({ ...view, runs }, job({ job_id: "board:2" }))).toBe(2);
  });
});

describe("jobs judged", () => {
  it("mark the winner and give each verdict with what speaks for and against it", () => {
    show(EVERY.job_match);
    const [best, other] = screen.getAllByTestId("job-card");
    expect(best?.textContent).toContain("★Best✓✓Strong match");
    expect(best?.textContent).toContain("+you have Python");
    expect(other?.textContent).not.toContain("Best");
    expect(other?.textContent).toContain("Ruled out by what you said");
    expect(other?.textContent).toContain("−in Vienna");
  });
});
