// @vitest-environment happy-dom
import type { SignalboxEvent } from "@signalbox/client";
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { VirtuosoMockContext } from "react-virtuoso";
import { afterEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../texts";
import { stage } from "../stage.fixture";
import { EventList } from "./EventList";
import { EventRecord } from "./EventRecord";

const t = texts.panels.events;

afterEach(cleanup);

function event(seq: number, type = "chunk", content = `word ${seq}`): SignalboxEvent {
  return {
    type,
    seq,
    content,
    conversation_id: "c_1",
    run_id: "r_1",
    ts: "2026-11-30T10:00:00Z",
  } as SignalboxEvent;
}

function open(record: EventRecord, client = {}) {
  return stage(
    <VirtuosoMockContext value={{ viewportHeight: 400, itemHeight: 20 }}>
      <EventList record={record} />
    </VirtuosoMockContext>,
    { client },
  );
}

function record(...events: SignalboxEvent[]): EventRecord {
  const made = new EventRecord();
  for (const one of events) made.add(one);
  return made;
}

const shown = () => screen.queryAllByTestId("event-row").map((row) => row.dataset.type);
const showing = (types: string[]) => waitFor(() => expect(shown()).toEqual(types));

describe("the events drawer", () => {
  it("shows what comes, as it comes", async () => {
    const own = record(event(1, "run_started"));
    open(own);
    act(() => own.add(event(2)));
    await showing(["run_started", "chunk"]);
  });

  it("filters by type and by text, and counts the types", async () => {
    open(record(event(1, "run_started"), event(2), event(3), event(4, "complete")));
    await showing(["run_started", "chunk", "chunk", "complete"]);
    const chip = screen.getAllByText("chunk").find((one) => one.closest("[aria-pressed]"));
    expect(chip?.textContent).toBe("chunk 2");
    fireEvent.click(chip as HTMLElement);
    await showing(["chunk", "chunk"]);
    fireEvent.change(screen.getByLabelText(t.search), { target: { value: "WORD 3" } });
    await showing(["chunk"]);
    fireEvent.change(screen.getByLabelText(t.search), { target: { value: "nowhere" } });
    screen.getByText(t.noMatch);
  });

  it("holds still while paused, and says how many are waiting", async () => {
    const own = record(event(1));
    open(own);
    fireEvent.click(screen.getByText(t.pause));
    own.add(event(2));
    own.add(event(3));
    const resume = await screen.findByText(t.resume(2));
    expect(shown()).toHaveLength(1);
    fireEvent.click(resume);
    await showing(["chunk", "chunk", "chunk"]);
  });

  it("opens to all that came, as text", async () => {
    const { container } = open(record(event(1, "chunk", "<b>bold</b>")));
    await showing(["chunk"]);
    const row = screen.getByTestId("event-row").querySelector("button") as HTMLElement;
    expect(row.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(row);
    expect(JSON.parse(container.querySelector("pre")?.textContent ?? "")).toEqual(
      event(1, "chunk", "<b>bold</b>"),
    );
    expect(container.querySelector("b")).toBeNull();
  });

  it("is cleared", async () => {
    open(record(event(1)));
    fireEvent.click(screen.getByText(t.clear));
    await screen.findByText(t.empty);
    expect(shown()).toEqual([]);
  });

  it("gets what came before from the log, page by page", async () => {
    const pages = [[event(1, "run_started"), event(2)], [event(3), event(4)], []];
    const eventsAfter = vi.fn(async (_id: string, cursor: string | null) => {
      const at = cursor === null ? 0 : Number(cursor);
      return { events: pages[at] ?? [], cursor: String(at + 1) };
    });
    open(record(event(4), event(5, "complete")), { eventsAfter });
    fireEvent.click(screen.getByText(t.earlier));
    await showing(["run_started", "chunk", "chunk", "chunk", "complete"]);
    expect(screen.queryByText(t.earlier)).toBeNull();
  });
});
