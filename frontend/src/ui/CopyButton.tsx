import { useEffect, useState } from "react";
import { texts } from "../texts";
import { IconButton } from "./Button";
import { CheckIcon, CopyIcon } from "./icons";

const SHOWN_MS = 1_600;

/** Copies `text`, and says so for a moment. */
export function CopyButton({
  text,
  label = texts.ui.copy,
  className,
}: {
  text: string;
  label?: string;
  className?: string | undefined;
}) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    copyText(text).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  const shown = { idle: label, copied: texts.ui.copied, failed: texts.ui.notCopied }[state];
  return (
    <IconButton label={shown} onClick={copy} className={className}>
      {state === "copied" ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}

/** The clipboard of a page that is not served over TLS is out of reach: then by way of a selection. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("not copied");
}
