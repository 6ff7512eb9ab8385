// @vitest-environment happy-dom
import type { Approval, RunView } from "@signalbox/client";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { texts } from "../texts";
import { ApprovalCard } from "./ApprovalCard";
import { approval, MAIL, RUN, refusal, stage } from "./stage.fixture";

const t = texts.panels.approval;

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.useRealTimers();
});

interface Asked {
  stored?: Approval | (() => Promise<Approval[]>);
  run?: Partial<RunView>;
  resolution?: string | null;
  decide?: () => Promise<void>;
}

function ask({ stored = approval(), run = {}, resolution = null, decide }: Asked = {}) {
  const approvals = vi.fn(typeof stored === "function" ? stored : async () => [stored]);
  const decided = vi.fn(decide ?? (async () => undefined));
  const block = {
    approval_id: "ap_1",
    tool: typeof stored === "function" ? "send_email" : stored.tool,
    arguments: typeof stored === "function" ? MAIL : stored.arguments,
    risk: "It cannot be taken back.",
    expires_at: typeof stored === "function" ? approval().expiresAt : stored.expiresAt,
  };
  const card = (change: Partial<RunView> = {}, next = resolution) => (
    <ApprovalCard approval={block} run={{ ...RUN, ...run, ...change }} resolution={next} />
  );
  const shown = stage(card(), {
    client: { approvals },
    actions: { decide: decided } as never,
  });
  return {
    ...shown,
    approvals,
    decide: decided,
    change: (...with_: Parameters<typeof card>) => shown.rerender(card(...with_)),
  };
}

async function ready() {
  await waitFor(() => expect(button("approve").disabled).toBe(false));
}

function button(testId: string): HTMLButtonElement {
  return screen.getByTestId(testId);
}

const standing = () => screen.getByTestId("approval-card").dataset.standing;

describe("a question that is open", () => {
  it("shows all arguments, line by line, and the risk", async () => {
    const { container } = ask();
    await ready();
    for (const text of ["jane@acme.example", "My application", "It cannot be taken back."])
      screen.getByText(text);
    expect(container.textContent).toContain("Dear Jane,\nhow does it stand?");
  });

  it("cannot be approved before the server has shown it whole, but rejected", async () => {
    let answer: (all: Approval[]) => void = () => undefined;
    const whole = approval({ arguments: { ...MAIL, body: "all of it" } });
    ask({
      stored: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    expect(button("approve").disabled).toBe(true);
    expect(button("edit-approval").disabled).toBe(true);
    expect(button("reject").disabled).toBe(false);
    act(() => answer([whole]));
    await ready();
    screen.getByText("all of it");
  });

  it("stays locked when the server cannot be asked, says so, and is asked again", async () => {
    let fail = true;
    const { approvals } = ask({
      stored: async () => {
        if (fail) throw refusal("The server cannot be reached", "connection_lost", 0);
        return [approval()];
      },
    });
    await screen.findByText(/The server cannot be reached/);
    expect(button("approve").disabled).toBe(true);
    fail = false;
    fireEvent.click(screen.getByText(texts.ui.tryAgain));
    await ready();
    expect(approvals).toHaveBeenCalledTimes(2);
  });

  it("is approved once, with the digest of what was shown, however often it is clicked", async () => {
    let done: () => void = () => undefined;
    const { decide } = ask({
      decide: () =>
        new Promise<void>((resolve) => {
          done = resolve;
        }),
    });
    await ready();
    const approve = button("approve");
    fireEvent.click(approve);
    fireEvent.click(approve);
    fireEvent.doubleClick(approve);
    expect(decide).toHaveBeenCalledTimes(1);
    expect(decide).toHaveBeenCalledWith("r_1", "ap_1", { decision: "approve", digest: "9b1f" });
    expect(button("approve").disabled).toBe(true);
    expect(button("reject").disabled).toBe(true);
    await act(async () => done());
  });

  it("is rejected with a note, or without one", async () => {
    const { decide } = ask();
    await ready();
    fireEvent.click(button("reject"));
    fireEvent.change(screen.getByLabelText(t.why), { target: { value: "  too early " } });
    fireEvent.keyDown(screen.getByLabelText(t.why), { key: "Enter" });
    expect(decide).not.toHaveBeenCalled();
    await act(async () => void fireEvent.click(button("reject-confirm")));
    expect(decide).toHaveBeenCalledWith("r_1", "ap_1", {
      decision: "reject",
      note: "too early",
      digest: "9b1f",
    });
  });

  it("shows what is hidden in a text, and no markup of it", async () => {
    const body = "pay \u202Egnp.exe\u200b <img src=x onerror=alert(1)>";
    const { container } = ask({ stored: approval({ arguments: { ...MAIL, body } }) });
    await ready();
    expect(container.textContent).toContain("pay U+202Egnp.exeU+200B <img src=x");
    expect(container.querySelector("img")).toBeNull();
  });

  it("says that nothing was decided when the server refuses, and can be decided after all", async () => {
    let refuse = true;
    const { decide } = ask({
      decide: async () => {
        if (refuse) throw refusal("The arguments do not fit", "bad_request", 400);
      },
    });
    await ready();
    await act(async () => void fireEvent.click(button("approve")));
    screen.getByText("The arguments do not fit");
    screen.getByText(t.stillOpen);
    refuse = false;
    await act(async () => void fireEvent.click(button("approve")));
    expect(decide).toHaveBeenCalledTimes(2);
  });
});

describe("editing", () => {
  async function edit(asked: Asked = {}) {
    const shown = ask(asked);
    await ready();
    fireEvent.click(button("edit-approval"));
    const editor = within(await screen.findByTestId("approval-editor", {}, { timeout: 8000 }));
    return { ...shown, editor };
  }

  it("sends what was changed, and only that", async () => {
    const { decide, editor } = await edit();
    expect(button("approve-edited").disabled).toBe(true);
    fireEvent.change(editor.getByLabelText("Subject"), { target: { value: "Good morning" } });
    await act(async () => void fireEvent.click(button("approve-edited")));
    expect(decide).toHaveBeenCalledWith("r_1", "ap_1", {
      decision: "edit",
      arguments: { subject: "Good morning" },
      digest: "9b1f",
    });
  });

  it("Enter in a field approves nothing", async () => {
    const { decide, editor } = await edit();
    for (const name of ["Subject", "Message", "To 1"]) {
      const field = editor.getByLabelText(name);
      fireEvent.change(field, { target: { value: "other" } });
      for (const type of ["keyDown", "keyPress", "keyUp"] as const) fireEvent[type](field, { key: "Enter" });
    }
    expect(screen.getByTestId("approval-editor").closest("form")).toBeNull();
    expect(decide).not.toHaveBeenCalled();
  });

  it("recipients are added and taken out; none at all is told", async () => {
    const { decide, editor } = await edit();
    fireEvent.click(editor.getByText(t.addItem("To")));
    fireEvent.change(editor.getByLabelText("To 2"), { target: { value: "bob@acme.example" } });
    fireEvent.click(editor.getByLabelText(t.removeItem("To", 1)));
    fireEvent.change(editor.getByLabelText("To 1"), { target: { value: " " } });
    await act(async () => void fireEvent.click(button("approve-edited")));
    editor.getByText(t.problems.empty);
    expect(decide).not.toHaveBeenCalled();
    fireEvent.change(editor.getByLabelText("To 1"), { target: { value: "bob@acme.example" } });
    await act(async () => void fireEvent.click(button("approve-edited")));
    expect(decide).toHaveBeenCalledWith(
      "r_1",
      "ap_1",
      expect.objectContaining({ arguments: { to: ["bob@acme.example"] } }),
    );
  });

  it("another tool's arguments get fields of their kinds, and JSON is checked", async () => {
    const stored = approval({
      tool: "book_room",
      arguments: { seats: 4, projector: false, options: { floor: 1 }, who: ["Ann"], title: "Talk" },
    });
    const { decide, editor } = await edit({ stored });
    fireEvent.change(editor.getByLabelText("options"), { target: { value: "{floor" } });
    expect(editor.getByText(t.problems.json)).toBeTruthy();
    fireEvent.change(editor.getByLabelText("options"), { target: { value: '{"floor": 2}' } });
    fireEvent.change(editor.getByLabelText("seats"), { target: { value: "6" } });
    fireEvent.click(editor.getByLabelText("projector"));
    await act(async () => void fireEvent.click(button("approve-edited")));
    expect(decide).toHaveBeenCalledWith(
      "r_1",
      "ap_1",
      expect.objectContaining({ arguments: { options: { floor: 2 }, seats: 6, projector: true } }),
    );
  });

  it("keeps what was written when the dialog is closed, and when the card is gone for a while", async () => {
    const { editor } = await edit();
    fireEvent.change(editor.getByLabelText("Subject"), { target: { value: "Half-writ" } });
    fireEvent.click(editor.getByText(t.back));
    await screen.findByText(t.editsKept);
    cleanup();
    const again = await edit();
    expect((again.editor.getByLabelText("Subject") as HTMLInputElement).value).toBe("Half-writ");
  });

  it("is locked, with the text still there, when another tab has decided", async () => {
    const { change, editor } = await edit();
    fireEvent.change(editor.getByLabelText("Subject"), { target: { value: "Mine" } });
    change({}, "rejected");
    expect(editor.getByText(t.locked.rejected)).toBeTruthy();
    expect(button("approve-edited").disabled).toBe(true);
    expect((editor.getByLabelText("Subject") as HTMLInputElement).value).toBe("Mine");
  });

  it("keeps the dialog open with the server's words when it refuses the arguments", async () => {
    const { editor } = await edit({
      decide: async () => {
        throw refusal("“x” is not an e-mail address", "bad_request", 400);
      },
    });
    fireEvent.change(editor.getByLabelText("To 1"), { target: { value: "x" } });
    await act(async () => void fireEvent.click(button("approve-edited")));
    expect(editor.getByText("“x” is not an e-mail address")).toBeTruthy();
    expect(button("approve-edited").disabled).toBe(false);
  });
});

describe("a question that is decided", () => {
  it("elsewhere, while it was clicked here: says what stands, and offers nothing", async () => {
    let stored = approval();
    ask({
      stored: async () => [stored],
      decide: async () => {
        stored = approval({ decision: "rejected", note: "no", decidedAt: "2026-11-30T11:00:00Z" });
        throw refusal("This approval was rejected before. What was decided first stands.", "decided", 409);
      },
    });
    await ready();
    await act(async () => void fireEvent.click(button("approve")));
    await waitFor(() => expect(standing()).toBe("rejected"));
    screen.getByText(/What was decided first stands/);
    expect(screen.queryByTestId("approve")).toBeNull();
  });

  it("shows what was approved after an edit, with what differs marked", async () => {
    const edited = { ...MAIL, subject: "Good morning" };
    ask({ stored: approval({ decision: "edited", edited }), resolution: "edited" });
    await screen.findByText("Good morning");
    expect(screen.getAllByText(t.changed)).toHaveLength(1);
    expect(standing()).toBe("edited");
  });

  it("loads what was decided when an event says that it was", async () => {
    let stored = approval();
    const { change } = ask({ stored: async () => [stored] });
    await ready();
    stored = approval({ decision: "rejected", note: "not now" });
    change({}, "rejected");
    await screen.findByText("not now");
  });

  it.each([
    ["cancelled", t.ended.cancelled],
    ["failed", t.ended.failed],
    ["dead", t.ended.failed],
  ] as const)("a %s run asks nothing any more", async (status, words) => {
    ask({ run: { status } });
    await screen.findByText(words);
    expect(screen.queryByTestId("approve")).toBeNull();
  });

  it("time that ran out locks it, and the clock stops", async () => {
    vi.useFakeTimers();
    ask({ stored: approval({ expiresAt: new Date(Date.now() + 65_000).toISOString() }) });
    await act(async () => vi.advanceTimersByTime(1_000));
    screen.getByText(t.expires("1:04"));
    await act(async () => vi.advanceTimersByTime(64_100));
    expect(standing()).toBe("late");
    expect(screen.queryByTestId("approve")).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });
});
