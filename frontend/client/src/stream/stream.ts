/** Streams of events: what a caller of this part of the client needs, in one place. */

export { type Clock, systemClock } from "./clock.js";
export { EventStream } from "./event-stream.js";
export type { Connection, ConnectionState, StateDetail, StreamOptions, Target } from "./options.js";
export { type PostOptions, postStream } from "./post.js";
export { EventSourceTransport } from "./transports/eventsource.js";
export { FetchTransport } from "./transports/fetch.js";
export type { Refusal, Sink, StreamRequest, Transport, TransportName } from "./transports/types.js";
export { XhrTransport } from "./transports/xhr.js";
