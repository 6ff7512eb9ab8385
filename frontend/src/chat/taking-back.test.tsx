// @vitest-environment happy-dom
import { type ConversationView, emptyView, type MessageView, startedRun } from "@signalbox/client";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messagesAfter } from "../state/actions";
import { type Session, SessionContext } from "../state/session";
import { edits } from "../state/storage";
import { texts } from "../texts";
import { RunEnd } from "./Notices";
import { UserMessage } from "./UserMessage";

const message = (runId: string, role: MessageView["role"], text: string): MessageView => ({
  messageId: `${runId}_${role}`,
  runId,
  role,
  text,
  status: "complete",
  agent: null,
  citations: [],
});
const run = (runId: string, retracted = false) => ({
  ...startedRun(runId),
  status: "cancelled" as const,
  retracted,
});
const VIEW: ConversationView = {
  ...emptyView,
  runs: [run("r_1"), run("r_2"), run("r_gone", true), run("r_3")],
  messages: ["r_1", "r_2", "r_gone", "r_3"].flatMap((id) => [
    message(id, "user", `ask ${id}`),
    message(id, "assistant", `answer ${id}`),
  ]),
};

function show(content: React.ReactNode) {
  const actions = { retry: vi.fn(async () => {}), edit: vi.fn(async () => {}) };
  const session = {
    actions,
    announce: vi.fn(),
    live: { state: { view: VIEW } },
    about: { limits: { messageChars: 12 } },
  } as unknown as Session;
  const page = render(<SessionContext value={session}>{content}</SessionContext>);
  return { ...page, ...actions };
}

const question = (runId: string) => (
  <UserMessage message={message(runId, "user", `ask ${runId}`)} run={run(runId)} queued={false} />
);

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: false })));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

describe("what an answer takes along", () => {
  it("is what came after it and still stands", () => {
    expect(["r_1", "r_2", "r_3", "r_none"].map((id) => messagesAfter(VIEW, id))).toEqual([4, 2, 0, 0]);
  });

  it("is asked about before an older answer is given anew", async () => {
    const { retry } = show(<RunEnd run={run("r_1")} newest={false} answered={false} />);
    fireEvent.click(screen.getByTestId("retry-error"));
    expect(retry).not.toHaveBeenCalled();
    // What asks is loaded when it is needed, on a machine that may be busy.
    expect(await screen.findByText(/4 messages after it/, {}, { timeout: 10_000 })).toBeTruthy();
    fireEvent.click(screen.getByTestId("confirm-take-back"));
    await waitFor(() => expect(retry).toHaveBeenCalledWith("r_1"));
  });

  it("is nothing for the newest, which is given anew at once, also when it was stopped without a word", () => {
    const { retry } = show(<RunEnd run={run("r_3")} newest answered={false} />);
    fireEvent.click(screen.getByTestId("retry-error"));
    expect(retry).toHaveBeenCalledWith("r_3");
  });
});

describe("changing a message", () => {
  it("goes on where it was, without taking the focus, when it is scrolled back to", () => {
    const { unmount } = show(question("r_3"));
    fireEvent.click(screen.getByTestId("edit"));
    expect(document.activeElement).toBe(screen.getByTestId("editor"));
    fireEvent.change(screen.getByTestId("editor"), { target: { value: "half a word" } });
    unmount();
    show(question("r_3"));
    expect(screen.getByTestId<HTMLTextAreaElement>("editor").value).toBe("half a word");
    expect(document.activeElement).toBe(document.body);
    fireEvent.keyDown(screen.getByTestId("editor"), { key: "Escape" });
    expect(edits.read("r_3")).toBeNull();
  });

  it("has the keys of the message field: no key of a composition sends or leaves, nor Enter on glass", async () => {
    const { edit } = show(question("r_3"));
    fireEvent.click(screen.getByTestId("edit"));
    const editor = screen.getByTestId("editor");
    fireEvent.keyDown(editor, { key: "Enter", keyCode: 229 });
    fireEvent.keyDown(editor, { key: "Escape", isComposing: true });
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    fireEvent.keyDown(editor, { key: "Enter" });
    expect(edit).not.toHaveBeenCalled();
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    fireEvent.keyDown(editor, { key: "Enter" });
    await waitFor(() => expect(edit).toHaveBeenCalledWith("r_3", "ask r_3"));
  });

  it("counts characters as the server does", () => {
    show(question("r_3"));
    fireEvent.click(screen.getByTestId("edit"));
    const send = () => screen.getByRole<HTMLButtonElement>("button", { name: texts.chat.send }).disabled;
    fireEvent.change(screen.getByTestId("editor"), { target: { value: "🙂".repeat(12) } });
    expect(send()).toBe(false);
    fireEvent.change(screen.getByTestId("editor"), { target: { value: "🙂".repeat(13) } });
    expect(send()).toBe(true);
  });
});
