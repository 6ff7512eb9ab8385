// @vitest-environment happy-dom
import type { Client, ConversationInfo } from "@signalbox/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConversationList } from "./conversations";
import { temporaryTitles } from "./storage";
import { OtherTabs } from "./tabs";

const ROW: ConversationInfo = {
  conversationId: "c_1",
  title: "One",
  createdAt: "2026-11-30T10:00:00Z",
  updatedAt: "2026-11-30T10:00:00Z",
  match: null,
};
const opened: OtherTabs[] = [];

/** A tab of a browser with one conversation. */
function tab() {
  const tabs = new OtherTabs();
  opened.push(tabs);
  const conversations = vi.fn(async () => [ROW]);
  const rename = vi.fn(async (_id: string, title: string) => ({ ...ROW, title }));
  const client = { conversations, rename, deleteConversation: vi.fn(async () => {}) };
  return { list: new ConversationList(client as unknown as Client, tabs), conversations };
}

afterEach(() => {
  for (const tabs of opened.splice(0)) tabs.close();
});

describe("the list of conversations", () => {
  it.each([
    ["a rename", (list: ConversationList) => list.rename("c_1", "Two")],
    ["a deletion", (list: ConversationList) => list.remove("c_1")],
    ["a new message", (list: ConversationList) => list.changed()],
  ])("is loaded again after %s in another tab", async (_, change) => {
    const [here, there] = [tab(), tab()];
    const leave = here.list.follow();
    expect(here.conversations).toHaveBeenCalledTimes(1);
    await change(there.list);
    await vi.waitFor(() => expect(here.conversations).toHaveBeenCalledTimes(2));
    leave();
  });

  it("is loaded again when its tab is looked at again, until it is left", async () => {
    const { list, conversations } = tab();
    const leave = list.follow();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(conversations).toHaveBeenCalledTimes(2);
    leave();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(conversations).toHaveBeenCalledTimes(2);
  });

  it("remembers the new name of a conversation that is in no list", async () => {
    const { list } = tab();
    await list.rename("c_temporary", "Quiet");
    expect(temporaryTitles.read("c_temporary")).toBe("Quiet");
  });
});
