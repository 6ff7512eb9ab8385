/** What the tabs of one browser tell each other. Without a BroadcastChannel each is by itself. */

const NAME = "signalbox.page";

/** `signed-out`, `erased`: nothing of the user may stay, or nothing but the key. `list`: a conversation began, was renamed or is gone. */
export type News = "signed-out" | "erased" | "list";

export class OtherTabs {
  readonly #channel: BroadcastChannel | null = opened();

  tell(news: News): void {
    this.#channel?.postMessage(news);
  }

  listen(news: News, then: () => void): () => void {
    const heard = ({ data }: MessageEvent) => {
      if (data === news) then();
    };
    this.#channel?.addEventListener("message", heard);
    return () => this.#channel?.removeEventListener("message", heard);
  }

  close(): void {
    this.#channel?.close();
  }
}

function opened(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    return null; // an old browser, or one that keeps pages apart
  }
}
