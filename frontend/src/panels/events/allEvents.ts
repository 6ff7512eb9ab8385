import type { Client, SignalboxEvent } from "@signalbox/client";

/** All that the log of a conversation still has, page by page. A log that ended is left at its last page. */
export async function allEvents(client: Client, conversationId: string): Promise<readonly SignalboxEvent[]> {
  const all: SignalboxEvent[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page = await client.eventsAfter(conversationId, cursor);
    all.push(...page.events);
    if (page.events.length === 0 || page.cursor === cursor) return all;
    cursor = page.cursor;
  }
}
