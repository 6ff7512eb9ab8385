/** A client of a Signalbox server: typed, resuming, without dependencies. */

export type * from "./calls/api.js";
export { Client, type ClientOptions } from "./calls/client.js";
export { ApiError, ClientError, ConnectionLost } from "./errors.js";
export type * from "./events.gen.js";
export { LiveConversation, type LiveOptions, type LiveState } from "./live/live.js";
export { isSending } from "./live/outgoing.js";
export { pageTabs, type Tabs } from "./live/tabs.js";
export { pageVisibility, type Visibility } from "./live/visibility.js";
export * from "./stream/stream.js";
export {
  type AppState,
  appWake,
  pageWake,
  stillWake,
  type WakeSignal,
  type WakeSource,
} from "./stream/wake.js";
export * from "./view/view.js";
