/** A client of a Signalbox server: typed, resuming, without dependencies. */

export type * from "./api.js";
export { Client, type ClientOptions } from "./client.js";
export { ApiError, ClientError, ConnectionLost } from "./errors.js";
export type * from "./events.gen.js";
export { LiveConversation, type LiveOptions, type LiveState } from "./live.js";
export { isSending } from "./outgoing.js";
export * from "./stream.js";
export { pageTabs, type Tabs } from "./tabs.js";
export * from "./view.js";
export { type AppState, appWake, pageWake, stillWake, type WakeSignal, type WakeSource } from "./wake.js";
