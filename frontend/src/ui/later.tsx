import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  type LazyExoticComponent,
  lazy,
} from "react";

const WAITS_MS = [400, 2_000];

/** A part of the page could not be fetched. A newer version of the page may have taken its place on the server. */
export class PartNotLoaded extends Error {
  override name = "PartNotLoaded";

  constructor(
    cause: unknown,
    /** Whoever shows the part next asks for it anew. */
    readonly forget: () => void,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** `prefetch` fetches it before it is wanted; what goes wrong is told when it is. */
export type Later<P> = FunctionComponent<P> & { prefetch: () => void };

/**
 * A component that is fetched when it is first shown; around it there has to be a Suspense and an ErrorBoundary. It is
 * tried several times, and once it failed it can be tried again, which `lazy` alone never does.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): Later<P> {
  let part: LazyExoticComponent<ComponentType<P>> | null = null;
  let fetched: Promise<{ default: ComponentType<P> }> | null = null;
  const forget = () => {
    part = null;
    fetched = null;
  };
  const fetchOnce = () => {
    fetched ??= persistently(load).then(
      (component) => ({ default: component }),
      (cause: unknown) => {
        throw new PartNotLoaded(cause, forget);
      },
    );
    return fetched;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called where modules begin only, as `lazy` is.
  const Part = (props: P) => {
    part ??= lazy(fetchOnce);
    return createElement(part as ComponentType<P>, props);
  };
  return Object.assign(Part, { prefetch: () => void fetchOnce().catch(() => {}) });
}

async function persistently<T>(load: () => Promise<T>): Promise<T> {
  for (const ms of WAITS_MS) {
    try {
      return await load();
    } catch {
      await pause(ms);
    }
  }
  return load();
}

/** For a while, and for as long as there is no network. */
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
}
