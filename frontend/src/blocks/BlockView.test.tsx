// @vitest-environment happy-dom
import type { Block } from "@signalbox/client";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EVERY } from "./samples.fixture";
import { show } from "./shown.fixture";
import { emptied, spoiled } from "./spoiling.fixture";

const SHOWN_ELSEWHERE = new Set([
  "suggestions",
  "suggestion_chosen",
  "approval_required",
  "approval_resolved",
]);
const KINDS = Object.values(EVERY);
const RESULTS = KINDS.filter((block) => !SHOWN_ELSEWHERE.has(block.type));

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("a typed result", () => {
  it.each(RESULTS)("$type has a box with a title", (block) => {
    show(block);
    const box = screen.getByTestId(`block-${block.type}`);
    expect(box.querySelector("h3")?.textContent).not.toBe("");
  });

  it.each(KINDS.filter((block) => SHOWN_ELSEWHERE.has(block.type)))("$type stands elsewhere", (block) => {
    expect(show(block).container.innerHTML).toBe("");
  });

  it("of a kind that only a newer server knows shows and says nothing", () => {
    const said = vi.spyOn(console, "error");
    const { container } = show({ type: "horoscope", stars: 5 } as unknown as Block);
    expect(container.innerHTML).toBe("");
    expect(said).not.toHaveBeenCalled();
  });

  it.each(RESULTS)("$type with nothing in it still has its box", (block) => {
    show(emptied(block));
    expect(screen.getByTestId(`block-${block.type}`).textContent).not.toMatch(/NaN|undefined|null|Infinity/);
  });

  it.each(RESULTS)("$type of somebody who means ill is text and nothing else", (block) => {
    const said = vi.spyOn(console, "error");
    const { container } = show(spoiled(block));
    for (const each of container.querySelectorAll("details")) each.open = true;
    for (const button of screen.queryAllByRole("button", { expanded: false })) fireEvent.click(button);
    expect(container.querySelectorAll("script, img, iframe, style")).toHaveLength(0);
    expect(container.textContent).toContain("<script>alert(2)</script>");
    expect(container.innerHTML).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    for (const link of container.querySelectorAll("a")) expect(link.protocol).toBe("mailto:");
    expect(container.textContent).not.toMatch(/NaN|undefined|Infinity|0{20}/);
    expect(said).not.toHaveBeenCalled();
  });

  it("links of others open elsewhere and tell nobody where from", () => {
    show(EVERY.company_profile);
    const link = screen.getByRole("link");
    expect(link.getAttribute("href")).toBe("https://register.example/1");
    expect(link.getAttribute("rel")).toBe("noopener noreferrer nofollow ugc");
    expect(link.getAttribute("target")).toBe("_blank");
  });
});

describe("charts", () => {
  it("draw each skill as long as its share, and tell the same in words", () => {
    const { container } = show(EVERY.skill_gap);
    const bars = [...container.querySelectorAll<HTMLElement>("li > span[aria-hidden] > span")];
    expect(bars.map((bar) => bar.style.inlineSize)).toEqual(["95%", "50%", "25%"]);
    expect(screen.getByText("Kafka", { selector: "ul bdi" }).closest("li")?.textContent).toContain(
      ", Missing,25%",
    );
  });

  it("count where a share of few would say too much", () => {
    show({
      ...EVERY.skill_gap,
      postings: 2,
      skills: [{ ...EVERY.skill_gap.skills[0], postings: 1, share: 0.5 }] as typeof EVERY.skill_gap.skills,
    });
    expect(screen.getByText(/1 of 2/).textContent).toBe("1 of 2 of the postings");
  });

  it("are none for a single posting: it asks for a skill or it does not", () => {
    const { container } = show({ ...EVERY.skill_gap, postings: 1 });
    expect(container.querySelectorAll("li > span[aria-hidden] > span")).toHaveLength(0);
    expect(screen.getByText("What this posting asks for (a made-up sample)")).toBeTruthy();
    expect(screen.getByText("Missing (1)").nextElementSibling?.textContent).toContain("Kafka");
  });

  it("have a table beside them", () => {
    show(EVERY.skill_gap);
    fireEvent.click(screen.getByRole("button", { name: "Show as table" }));
    const rows = screen.getAllByRole("row").map((row) => row.textContent);
    expect(rows).toContain("Flink◐ Partly50% (20 postings)close to Spark");
    expect(screen.getByRole("button", { name: "Show as bars" })).toBeTruthy();
  });

  it("draw a pay range and say its figures", () => {
    const { container } = show(EVERY.salary_range);
    const label = screen.getByRole("img").getAttribute("aria-label");
    expect(label).toContain("Lower quarter €60,000, Middle €70,000");
    expect(label).toContain("asked about: €65,000");
    const box = container.querySelector("rect");
    expect([box?.getAttribute("x"), box?.getAttribute("width")]).toEqual(["29%", "42%"]);
    expect(screen.getByText("22% of the postings pay less than €65,000.")).toBeTruthy();
    expect(screen.getByText("4 postings only: too few for a reliable range.")).toBeTruthy();
    expect(screen.getByText(/There are no figures for/).textContent).toContain(
      "Berlin. These are for Germany.",
    );
  });
});

describe("reviews, interviews, trackers", () => {
  it("name the weightiest finding first", () => {
    show(EVERY.resume_feedback);
    const findings = screen.getAllByText(/Bullet 1 opens|A small thing/).map((each) => each.textContent);
    expect(findings).toEqual(["Bullet 1 opens with a duty.", "A small thing."]);
  });

  it("say which parts of a told example were in the last answer", () => {
    show(EVERY.interview_practice);
    const [star] = screen.getAllByRole("list", { name: "Parts of a told example" });
    expect(star?.textContent).toBe("○ Situation: not told○ Task: not told✓ Action: told○ Result: not told");
    expect(screen.getByText("Question 2 of 5")).toBeTruthy();
  });

  it("show the sources a question cites", () => {
    const cited = {
      id: "p_1",
      title: "Common questions",
      source: "guides",
      url: null,
      heading: "",
      as_of: "2026-11-01",
    };
    show(EVERY.interview_questions, [], [cited, { ...cited, id: "p_2", title: "Another" }]);
    expect(screen.getByText("A good answer names a reason.")).toBeTruthy();
    const source = screen.getByText("Common questions").closest("p");
    expect(source?.textContent).toBe("Common questions · Signalbox careers guides · as of 1 Nov 2026");
    expect(screen.queryByText("Another")).toBeNull();
  });

  it("put the application of this turn first and mark it", () => {
    const { openPanel } = show(EVERY.application_status);
    const [first] = screen.getAllByRole("listitem");
    expect(first?.textContent).toContain("Quillmark");
    expect(first?.textContent).toContain("This answer");
    fireEvent.click(screen.getByRole("button", { name: "Open the tracker" }));
    expect(openPanel).toHaveBeenCalledWith("applications");
  });

  it("tell what was learned and what was forgotten", () => {
    const { openPanel } = show(EVERY.profile_updated);
    expect(screen.getByRole("list", { name: "Added" }).textContent).toBe("+Skill Python");
    expect(screen.getByRole("list", { name: "Removed" }).textContent).toBe("−Pay, at least 60,000 · a rule");
    fireEvent.click(screen.getByRole("button", { name: "Open profile" }));
    expect(openPanel).toHaveBeenCalledWith("profile");
  });
});
