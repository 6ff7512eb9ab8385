// @vitest-environment happy-dom
import type { Client } from "@signalbox/client";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OtherTabs } from "../state/tabs";
import { texts } from "../texts";
import { Entrance } from "./Entrance";

const ABOUT = {
  name: "signalbox",
  version: "1",
  model: "offline",
  offline: true,
  auth: "key",
  limits: { message_chars: 100, resume_bytes: 100 },
  mail: false,
};
const good = new Set<string>();

function answer(status: number, body: unknown) {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

beforeEach(() => {
  sessionStorage.setItem("signalbox.key", "first");
  good.add("Bearer first");
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const known = good.has(new Headers(init.headers).get("authorization") ?? "");
    if (path === "/v1/about") return answer(200, { ...ABOUT, signed_in: known });
    return known
      ? answer(200, { conversations: [] })
      : answer(401, { code: "unauthorized", detail: "no", retry: false });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  good.clear();
});

describe("Entrance", () => {
  it("asks for a key once the one in use is refused, and goes on with a good one", async () => {
    let client: Client | null = null;
    render(
      <Entrance>
        {(entered) => {
          client = entered.client;
          return <p>The chat</p>;
        }}
      </Entrance>,
    );
    await screen.findByText("The chat");
    good.clear();
    await act(async () => {
      await (client as Client | null)?.conversations().catch(() => {});
    });
    await screen.findByTestId("key-entry");
    expect(screen.getByText(texts.shell.keyRefused)).toBeTruthy();
    good.add("Bearer second");
    fireEvent.change(screen.getByLabelText(texts.shell.key, { exact: false }), {
      target: { value: "second" },
    });
    fireEvent.click(screen.getByRole("button", { name: texts.shell.keyEnter }));
    await screen.findByText("The chat");
  });

  it("forgets its user when another tab signs out", async () => {
    const assign = vi.spyOn(location, "assign").mockImplementation(() => {});
    sessionStorage.setItem("signalbox.draft.new", "unsent");
    render(<Entrance>{() => <p>The chat</p>}</Entrance>);
    await screen.findByText("The chat");
    const other = new OtherTabs();
    other.tell("signed-out");
    await vi.waitFor(() => expect(assign).toHaveBeenCalledWith("/"));
    expect(sessionStorage.length).toBe(0);
    other.close();
  });
});
