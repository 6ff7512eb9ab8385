// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
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

const theme = () => document.documentElement.dataset.theme;

describe("colours", () => {
  it("are chosen, kept for the next visit, and given back to the system", () => {
    stage(<SettingsPanel />);
    fireEvent.click(screen.getByTestId("theme-dark"));
    expect(theme()).toBe("dark");
    expect(localStorage.getItem("signalbox.theme")).toBe("dark");
    fireEvent.click(screen.getByTestId("theme-system"));
    expect(theme()).toBeUndefined();
    expect(localStorage.getItem("signalbox.theme")).toBeNull();
  });

  it("follow a choice in another tab", () => {
    stage(<SettingsPanel />);
    act(() => {
      window.dispatchEvent(new StorageEvent("storage", { key: "signalbox.theme", newValue: "light" }));
    });
    expect((screen.getByTestId("theme-light") as HTMLInputElement).checked).toBe(true);
  });

  it("can be chosen where nothing can be stored", () => {
    const setItem = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("blocked", "SecurityError");
    });
    stage(<SettingsPanel />);
    fireEvent.click(screen.getByTestId("theme-dark"));
    expect(theme()).toBe("dark");
    setItem.mockRestore();
  });
});

describe("the server", () => {
  it("says what it is and what it can do", () => {
    stage(<SettingsPanel />, { about: { ...ABOUT, offline: false, model: "llama-3.3", mail: false } });
    screen.getByText("signalbox 0.1.0");
    screen.getByText("llama-3.3");
    screen.getByText(t.mailOff);
    screen.getByText("32,000 characters");
  });

  it("a key can be forgotten where one is used", () => {
    const leave = vi.fn();
    stage(<SettingsPanel />, { leave });
    fireEvent.click(screen.getByTestId("forget-key"));
    expect(leave).toHaveBeenCalledTimes(1);
    cleanup();
    stage(<SettingsPanel />);
    expect(screen.queryByTestId("forget-key")).toBeNull();
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

  it("a failure half-way is told, and the list says what is left", async () => {
    const client = {
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
