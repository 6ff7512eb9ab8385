import { useContext, useEffect, useState } from "react";
import { SessionContext } from "../state/session";
import { texts } from "../texts";
import { Button, IconButton } from "./Button";
import { CheckIcon, CopyIcon } from "./icons";

const SHOWN_MS = 1_600;

/** Copies `text`, or what it gives at that moment, and says so for a while. `worded`: with its label, not only a picture. */
export function CopyButton({
  text,
  label = texts.ui.copy,
  worded = false,
  className,
}: {
  text: string | (() => string);
  label?: string;
  worded?: boolean;
  className?: string | undefined;
}) {
  const session = useContext(SessionContext);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    copyText(typeof text === "string" ? text : text()).then(
      () => {
        setCopied(true);
        session?.announce(texts.ui.copied, "quiet");
      },
      () => session?.announce(texts.ui.notCopied, "error"),
    );
  };
  const shown = copied ? texts.ui.copied : label;
  const picture = copied ? <CheckIcon /> : <CopyIcon />;
  if (worded) {
    return (
      <Button small onClick={copy} className={className}>
        {picture}
        {shown}
      </Button>
    );
  }
  return (
    <IconButton label={shown} onClick={copy} className={className}>
      {picture}
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
