/** What a browser gives its tabs to agree with, and who follows a conversation how. */

import { pageWake, type WakeSource } from "../stream/wake.js";
import { channelName } from "./channel-name.js";
import type { Feed, FeedOptions, Source } from "./feed.js";
import type { Locks } from "./leadership.js";
import { SharedFeed } from "./shared-feed.js";

export interface Channel {
  onmessage: ((message: { data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** What a browser gives its tabs to agree with. */
export interface Tabs {
  readonly locks: Locks;
  readonly wake: WakeSource;
  open(name: string): Channel;
  /** Whether somebody looks at this tab. */
  visible(): boolean;
}

/** Null where there are no tabs, or they cannot agree: outside of pages, and on pages that are not from HTTPS. */
export function pageTabs(scope: typeof globalThis = globalThis): Tabs | null {
  const locks: LockManager | undefined = scope.navigator?.locks;
  if (typeof scope.document === "undefined" || !locks || typeof scope.BroadcastChannel !== "function")
    return null;
  return {
    locks: { request: (name, options, held) => locks.request(name, options, held) },
    wake: pageWake(scope),
    open: (name) => new scope.BroadcastChannel(name) as Channel,
    visible: () => scope.document.visibilityState !== "hidden",
  };
}

/** A feed of its own for whoever has no other tabs. Nothing is read before its `start`. */
export function feedOf(
  source: Source,
  conversationId: string,
  options: FeedOptions,
  tabs: Tabs | null,
): Feed {
  const name = channelName(source.connection, conversationId);
  const channel = tabs && opened(tabs, name);
  if (tabs === null || channel === null) return source.stream({ conversationId }, options);
  return new SharedFeed(source, conversationId, options, tabs, name, channel);
}

/** Null where the browser allows none, as it does where storage is blocked. */
function opened(tabs: Tabs, name: string): Channel | null {
  try {
    return tabs.open(name);
  } catch {
    return null;
  }
}
