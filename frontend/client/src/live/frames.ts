/** When a view is shown anew: with the next frame, or soon where no frames are drawn. */

/** Frames stop in a tab that is not looked at, and in one that is being left; nothing may depend on them. */
const LATEST_MS = 250;
const WITHOUT_FRAMES_MS = 16;

/** Call `act` once, soon. Returns what calls it off. */
export function soon(act: () => void): () => void {
  const frames =
    typeof requestAnimationFrame === "function" && globalThis.document?.visibilityState === "visible";
  const off = () => {
    clearTimeout(timer);
    if (frames) cancelAnimationFrame(frame);
  };
  const once = () => {
    off();
    act();
  };
  const timer = setTimeout(once, frames ? LATEST_MS : WITHOUT_FRAMES_MS);
  const frame = frames ? requestAnimationFrame(once) : 0;
  return off;
}
