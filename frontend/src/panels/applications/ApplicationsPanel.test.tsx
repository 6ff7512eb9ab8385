// @vitest-environment happy-dom
import type { Application } from "@signalbox/client";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../texts";
import { application, refusal, stage } from "../stage.fixture";
import ApplicationsPanel from "./ApplicationsPanel";

const t = texts.panels.applications;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-30T12:00:00Z"), toFake: ["Date"] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const DUE = application();
const INTERVIEW = application({
  application_id: "a_2",
  company: "Acme",
  title: "",
  status: "interview",
  applied_on: null,
  last_contact_on: "2026-12-05",
  days_since: -5,
  chase_on: "2026-12-10",
  next_step: "prepare for 5 December 2026",
});
const REJECTED = application({
  application_id: "a_3",
  company: "Borealis",
  status: "rejected",
  chase_on: null,
});
const ALL = [REJECTED, DUE, INTERVIEW];

function open(
  applications: () => Promise<Application[]>,
  forgetApplication: () => Promise<void> = async () => undefined,
) {
  return stage(<ApplicationsPanel />, { client: { applications, forgetApplication } });
}

const names = () =>
  screen.getAllByTestId("application").map((row) => row.querySelector("strong")?.textContent);

describe("the tracker", () => {
  it("says how it is filled while it is empty", async () => {
    open(async () => []);
    await screen.findByText(t.empty);
    screen.getByText(t.emptyHow);
  });

  it("shows the open ones first, then what is asked for", async () => {
    open(async () => ALL);
    await screen.findByText(/planner at Haldvik Freight/);
    expect(names()).toEqual(["planner at Haldvik Freight", "Acme"]);
    fireEvent.click(screen.getByLabelText(t.count(t.shown.closed, 1)));
    expect(names()).toEqual(["planner at Borealis"]);
    fireEvent.click(screen.getByLabelText(t.count(t.shown.all, 3)));
    expect(names()).toEqual(["planner at Haldvik Freight", "Acme", "planner at Borealis"]);
  });

  it("says how long it has been quiet, when to write again, and whether that is now", async () => {
    open(async () => ALL);
    const [due, interview] = (await screen.findAllByTestId("application")).map((row) => within(row));
    due?.getByText(/27 days ago/);
    due?.getByText(t.due);
    due?.getByText(/write to them now/);
    interview?.getByText(/in 5 days/);
    expect(interview?.queryByText(t.due)).toBeNull();
  });

  it("asks for a follow-up in the chat, and gets out of the way", async () => {
    const { session } = open(async () => [DUE]);
    fireEvent.click(await screen.findByTestId("follow-up"));
    await waitFor(() => expect(session.openPanel).toHaveBeenCalledWith(null));
    expect(session.actions.send).toHaveBeenCalledWith(
      "Write a chaser to Haldvik Freight about my application as planner.",
    );
  });

  it("offers no follow-up on what is closed", async () => {
    open(async () => [REJECTED]);
    await screen.findByText(t.noneOpen);
    fireEvent.click(screen.getByLabelText(t.count(t.shown.closed, 1)));
    expect(screen.queryByTestId("follow-up")).toBeNull();
  });

  it("forgets one after a second yes; a refusal leaves it", async () => {
    let all = ALL;
    let refuses = true;
    const forget = vi.fn(async () => {
      if (refuses) throw refusal("The database is away.", "store_unavailable", 503);
      all = [REJECTED, INTERVIEW];
    });
    open(async () => all, forget);
    fireEvent.click(await screen.findByLabelText(t.forgetLabel("planner at Haldvik Freight")));
    expect(forget).not.toHaveBeenCalled();
    fireEvent.click(await screen.findByTestId("confirm"));
    await screen.findByText("The database is away.");
    refuses = false;
    fireEvent.click(screen.getByTestId("confirm"));
    await waitFor(() => expect(names()).toEqual(["Acme"]));
    expect(forget).toHaveBeenLastCalledWith("a_1");
  });

  it("loads anew when an answer has changed it", async () => {
    let all: Application[] = [];
    const { tell } = open(async () => all);
    await screen.findByText(t.empty);
    all = ALL;
    tell({ type: "application_status" });
    await screen.findAllByTestId("application");
  });
});
