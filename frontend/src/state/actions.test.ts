import { type Client, emptyView, type LiveConversation, sent } from "@signalbox/client";
import { expect, it, vi } from "vitest";
import { actionsOf } from "./actions";

/** A conversation with one message on its way; `taken` is what becomes of it. */
function sending(taken: Promise<string | null>) {
  const live = {
    conversationId: "c_1",
    state: { view: sent(emptyView, "sending_1", "Find jobs") },
    takenAs: vi.fn(async (runId: string) => (runId === "sending_1" ? taken : runId)),
    send: vi.fn(async () => ({ runId: "r_2", conversationId: "c_1" })),
  };
  const client = { cancel: vi.fn(async () => {}), decide: vi.fn(async () => {}) };
  const actions = actionsOf(client as unknown as Client, live as unknown as LiveConversation, () => false);
  return { actions, live, client };
}

it("what is done to a message on its way is done to the run that it becomes", async () => {
  const { actions, live, client } = sending(Promise.resolve("r_1"));
  await actions.stop();
  expect(client.cancel).toHaveBeenCalledWith("r_1");
  await actions.retry("sending_1");
  expect(live.send).toHaveBeenLastCalledWith("Find jobs", { replaces: "r_1" });
  await actions.edit("sending_1", "Find work");
  expect(live.send).toHaveBeenLastCalledWith("Find work", { replaces: "r_1" });
  await actions.decide("sending_1", "ap_1", { decision: "reject" });
  expect(client.decide).toHaveBeenCalledWith("r_1", "ap_1", { decision: "reject" });
});

it("a message that was refused needs no stopping, and cannot be asked again", async () => {
  const { actions, live, client } = sending(Promise.resolve(null));
  await actions.stop();
  expect(client.cancel).not.toHaveBeenCalled();
  await expect(actions.retry("sending_1")).rejects.toThrow("no longer here");
  expect(live.send).not.toHaveBeenCalled();
});

it("a run that waits for its user is stopped by its name", async () => {
  const { actions, client } = sending(Promise.resolve("r_1"));
  await actions.stop("r_waits");
  expect(client.cancel).toHaveBeenCalledExactlyOnceWith("r_waits");
});
