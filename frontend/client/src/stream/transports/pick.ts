/** Which transport carries a stream: the one asked for, else the best of the platform. */

import { EventSourceTransport } from "./eventsource.js";
import { FetchTransport } from "./fetch.js";
import type { Transport, TransportName } from "./types.js";
import { XhrTransport } from "./xhr.js";

/** Throws `TypeError` where the platform has nothing to stream with. */
export function pickTransport(wanted: TransportName | Transport | undefined): Transport {
  if (typeof wanted === "object") return wanted;
  if (wanted === "eventsource") return new EventSourceTransport();
  if (wanted === "fetch" || (wanted === undefined && FetchTransport.streams)) return new FetchTransport();
  if (wanted === "xhr" || typeof globalThis.XMLHttpRequest === "function") return new XhrTransport();
  throw new TypeError("This platform has neither a fetch that streams nor XMLHttpRequest: pass a transport.");
}
