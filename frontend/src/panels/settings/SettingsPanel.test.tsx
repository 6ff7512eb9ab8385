// @vitest-environment happy-dom
import type { UserUsage } from "@signalbox/client";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../texts";
import { ABOUT, refusal, stage } from "../stage.fixture";
import SettingsPanel from "./SettingsPanel";

const t = texts.panels.settings;

afterEach(() => {
  cleanup();
  localStorage.clear();
  delete document.documentElement.dataset.theme;
});

const NOTHING = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
const NONE = { ...NOTHING, since: "2026-11-30T00:00:00Z", unpricedCalls: 0, models: [] };
const FREE = { usage: async () => ({ today: NONE, month: NONE, budget: null }) };

const theme = () => document.documentElement.dataset.theme;

describe("colours", () => {
  it("are chosen, kept for the next visit, and given back to the system", () => {
    stage(<SettingsPanel />, { client: FREE });
    fireEvent.click(screen.getByTestId("theme-dark"));
    expect(theme()).toBe("dark");
    expect(localStorage.getItem("signalbox.theme")).toBe("dark");
    fireEvent.click(screen.getByTestId("theme-system"));
    expect(theme()).toBeUndefined();
    expect(localStorage.getItem("signalbox.theme")).toBeNull();
  });

  it("follow a choice in another tab", () => {
    stage(<SettingsPanel />, { client: FREE });
    act(() => {
      window.dispatchEvent(new StorageEvent("storage", { key: "signalbox.theme", newValue: "light" }));
    });
    expect((screen.getByTestId("theme-light") as HTMLInputElement).checked).toBe(true);
  });

  it("can be chosen where nothing can be stored", () => {
    const setItem = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("blocked", "SecurityError");
    });
    stage(<SettingsPanel />, { client: FREE });
    fireEvent.click(screen.getByTestId("theme-dark"));
    expect(theme()).toBe("dark");
    setItem.mockRestore();
  });
});

describe("the server", () => {
  it("says what it is and what it can do", () => {
    stage(<SettingsPanel />, {
      client: FREE,
      about: { ...ABOUT, offline: false, model: "llama-3.3", mail: false },
    });
    screen.getByText("signalbox 0.1.0");
    screen.getByText("llama-3.3");
    screen.getByText(t.mailOff);
    screen.getByText("32,000 characters");
  });

  it("a key can be forgotten where one is used", () => {
    const leave = vi.fn();
    stage(<SettingsPanel />, { leave, client: FREE });
    fireEvent.click(screen.getByTestId("forget-key"));
    expect(leave).toHaveBeenCalledTimes(1);
    cleanup();
    stage(<SettingsPanel />, { client: FREE });
    expect(screen.queryByTestId("forget-key")).toBeNull();
  });
});

describe("what answers cost", () => {
  const c = texts.panels.cost;
  const spent = { calls: 3, inputTokens: 1500, cachedTokens: 900, outputTokens: 60, costUsd: 0.0123 };
  const model = (name: string) => ({ ...spent, model: name });
  const period = { ...spent, since: "2026-11-30T00:00:00Z", unpricedCalls: 0, models: [model("large")] };
  const usage = (changes: Partial<UserUsage> = {}): UserUsage => ({
    today: period,
    month: { ...period, unpricedCalls: 2, models: [model("large"), model("small")] },
    budget: null,
    ...changes,
  });
  const budget = (leftUsd: number) => ({ usd: 0.5, leftUsd, renewedAt: "2026-12-01T00:00:00Z" });

  it("is told by day, month and model, and what is not counted in it", async () => {
    stage(<SettingsPanel />, { client: { usage: async () => usage() } });
    const cost = within(await screen.findByLabelText(c.title));
    await cost.findAllByText("$0.0123");
    cost.getAllByText("1,500");
    cost.getAllByText("900");
    cost.getByText(c.unpriced(2));
    cost.getByText("small");
    expect(cost.queryByTestId("budget")).toBeNull();
  });

  it("is held against the budget of a day", async () => {
    stage(<SettingsPanel />, { client: { usage: async () => usage({ budget: budget(0.31) }) } });
    expect((await screen.findByTestId("budget")).textContent).toContain("$0.31 of $0.50 are left");
    cleanup();
    stage(<SettingsPanel />, { client: { usage: async () => usage({ budget: budget(0) }) } });
    expect((await screen.findByTestId("budget")).textContent).toContain("is used up");
  });

  it("is nothing where no model was asked, and unknown where it could not be looked up", async () => {
    let fails = true;
    const client = {
      usage: async () => {
        if (fails) throw refusal("The database is away.", "store_unavailable", 503, true);
        return FREE.usage();
      },
    };
    stage(<SettingsPanel />, { client });
    await screen.findByText("The database is away.");
    expect(screen.queryByText(c.none)).toBeNull();
    fails = false;
    fireEvent.click(screen.getByText(texts.ui.tryAgain));
    await screen.findByText(c.none);
  });
});

describe("deleting all conversations", () => {
  function rowsOf(...ids: string[]) {
    return ids.map((id) => ({ conversationId: id, title: "", createdAt: "", updatedAt: "", match: null }));
  }

  async function confirm(typed: string) {
    fireEvent.click(screen.getByTestId("delete-all"));
    fireEvent.change(await screen.findByLabelText(t.deleteType(t.deleteWord)), { target: { value: typed } });
    return screen.getByTestId("confirm") as HTMLButtonElement;
  }

  it("needs the word, then deletes page after page", async () => {
    const left = new Set(["c_1", "c_2", "c_3"]);
    const client = {
      ...FREE,
      conversations: vi.fn(async () => rowsOf(...[...left].slice(0, 2))),
      deleteConversation: vi.fn(async (id: string) => {
        left.delete(id);
      }),
    };
    const { session } = stage(<SettingsPanel />, { client });
    expect((await confirm("yes")).disabled).toBe(true);
    expect(client.conversations).not.toHaveBeenCalled();
    fireEvent.click(await confirm(" Delete "));
    await waitFor(() => expect(session.openPanel).toHaveBeenCalledWith(null));
    expect(left.size).toBe(0);
    expect(session.announce).toHaveBeenCalledWith(t.deleted(3));
    expect(session.conversations.refresh).toHaveBeenCalled();
  });

  it("stands beside the way to everything else that is stored", () => {
    const { session } = stage(<SettingsPanel />, { client: FREE });
    fireEvent.click(screen.getByText(texts.panels.privacy.inSettings));
    expect(session.openPanel).toHaveBeenCalledWith("profile");
  });

  it("a failure half-way is told, and the list says what is left", async () => {
    const client = {
      ...FREE,
      conversations: async () => rowsOf("c_1"),
      deleteConversation: async () => {
        throw refusal("The database is away.", "store_unavailable", 503);
      },
    };
    const { session } = stage(<SettingsPanel />, { client });
    fireEvent.click(await confirm("delete"));
    await screen.findByText("The database is away.");
    expect(session.conversations.refresh).toHaveBeenCalled();
    expect(session.openPanel).not.toHaveBeenCalled();
  });
});
