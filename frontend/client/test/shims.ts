/**
 * What Node lacks, over `node:http` and only as far as streams need it, written after the standards: how browsers (and,
 * for `XMLHttpRequest`, React Native) tell of a response. Their parsing is their own, so that ours is not its own judge.
 */

import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { StringDecoder } from "node:string_decoder";

/** The part of `XMLHttpRequest` that React Native has: `responseText` grows, handlers are properties. */
export class NodeXhr {
  readyState = 0;
  status = 0;
  responseText = "";
  withCredentials = false;
  onreadystatechange: (() => void) | null = null;
  onprogress: (() => void) | null = null;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  ontimeout: (() => void) | null = null;
  #call: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #method = "";
  #url = "";
  #headers: Record<string, string> = {};

  open(method: string, url: string): void {
    new URL(url); // refuses what the platform would
    this.#method = method;
    this.#url = url;
    this.#turn(1);
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  getResponseHeader(name: string): string | null {
    const value = this.#response?.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  }

  send(body: string | null): void {
    const call = request(this.#url, { method: this.#method, headers: this.#headers }, (response) => {
      const to = response.headers.location;
      if (to !== undefined && (response.statusCode === 307 || response.statusCode === 308)) {
        response.resume();
        this.#url = new URL(to, this.#url).href;
        this.send(body);
      } else {
        this.#receive(response);
      }
    });
    this.#call = call;
    call.on("error", () => call === this.#call && this.#fail());
    call.end(body);
  }

  abort(): void {
    const going = this.#call !== null;
    this.#call?.destroy();
    this.#call = null;
    if (!going) return;
    this.status = 0;
    this.responseText = "";
    this.#turn(4);
    this.onabort?.();
    this.readyState = 0;
  }

  #receive(response: IncomingMessage): void {
    const call = this.#call;
    const decoder = new StringDecoder("utf8");
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.#turn(2);
    response.on("data", (data: Buffer) => {
      if (call !== this.#call) return;
      this.responseText += decoder.write(data);
      this.#turn(3);
      this.onprogress?.();
    });
    response.on("end", () => {
      if (call !== this.#call) return;
      this.#call = null;
      this.#turn(4);
      this.onload?.();
    });
    response.on("error", () => call === this.#call && this.#fail());
  }

  /** As React Native does it: the status stays, and a message takes the place of the text. */
  #fail(): void {
    this.#call = null;
    this.responseText = "The network connection was lost.\n\n".repeat(1_000);
    this.#turn(4);
    this.onerror?.();
  }

  #turn(state: number): void {
    this.readyState = state;
    this.onreadystatechange?.();
  }
}

/** The standard's `EventSource`: opens again by itself after a drop, and closes for good at any other answer. */
export class NodeEventSource extends EventTarget {
  readyState = 0;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent<string>) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  #call: ClientRequest | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = "";
  #retryMs = 1;

  constructor(private readonly url: string) {
    super();
    new URL(url);
    this.#connect(url);
  }

  close(): void {
    this.readyState = 2;
    clearTimeout(this.#timer);
    const call = this.#call;
    this.#call = null;
    call?.destroy();
  }

  #connect(url: string): void {
    const headers = { Accept: "text/event-stream", ...(this.#lastId && { "Last-Event-ID": this.#lastId }) };
    const call = request(url, { headers }, (response) => {
      const { statusCode, headers: got } = response;
      if (statusCode === 307 && got.location !== undefined) {
        response.resume();
        this.#connect(new URL(got.location, url).href);
      } else if (statusCode === 200 && got["content-type"]?.startsWith("text/event-stream")) {
        this.#receive(response, call);
      } else {
        this.close();
        this.#emit(new Event("error"));
      }
    });
    this.#call = call;
    call.on("error", () => this.#dropped(call));
    call.end();
  }

  #receive(response: IncomingMessage, call: ClientRequest): void {
    this.readyState = 1;
    this.#emit(new Event("open"));
    const decoder = new TextDecoder();
    let text = "";
    let afterCr = false;
    response.on("data", (data: Buffer) => {
      const more = decoder.decode(data, { stream: true });
      // A CR ends a line at once, so the LF that may follow it is no other end.
      text += (afterCr && more.startsWith("\n") ? more.slice(1) : more).replaceAll(/\r\n?/g, "\n");
      if (more !== "") afterCr = more.endsWith("\r");
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) if (call === this.#call) this.#block(block);
    });
    response.on("close", () => this.#dropped(call));
    response.on("error", () => {});
  }

  #block(block: string): void {
    let type = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [, field, value = ""] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      if (field === "event") type = value;
      if (field === "id" && !value.includes("\0")) this.#lastId = value;
      if (field === "retry" && /^\d+$/.test(value)) this.#retryMs = Number(value);
    }
    if (data.length === 0) return;
    this.#emit(new MessageEvent(type, { data: data.join("\n"), lastEventId: this.#lastId }));
  }

  #dropped(call: ClientRequest): void {
    if (call !== this.#call) return;
    this.#call = null;
    this.readyState = 0;
    this.#emit(new Event("error"));
    // The listener may have closed it.
    if (this.readyState === 0) this.#timer = setTimeout(() => this.#connect(this.url), this.#retryMs);
  }

  #emit(event: Event): void {
    if (event.type === "open") this.onopen?.(event);
    if (event.type === "error") this.onerror?.(event);
    if (event.type === "message") this.onmessage?.(event as MessageEvent<string>);
    this.dispatchEvent(event);
  }
}
