import { type ComponentPropsWithRef, useLayoutEffect, useRef } from "react";

/** A text field as high as its text; how wide it is, and how high it may get, is for its class to say. */
export function GrowingArea({ ref, ...rest }: ComponentPropsWithRef<"textarea">) {
  const own = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: text and class are what change the height.
  useLayoutEffect(() => {
    const area = own.current;
    if (area === null) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [rest.value, rest.className]);
  return (
    <textarea
      rows={1}
      {...rest}
      ref={(element) => {
        own.current = element;
        if (typeof ref === "function") return ref(element);
        if (ref != null) ref.current = element;
      }}
    />
  );
}
