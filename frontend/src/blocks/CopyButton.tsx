import { useEffect, useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { CheckIcon, CopyIcon } from "../ui/icons";

const SAID_MS = 2_000;

/** Copies what `text` gives at that moment, and says so. */
export function CopyButton({ text, label = texts.ui.copy }: { text: () => string; label?: string }) {
  const { announce } = useSession();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
      announce(texts.ui.copied);
    } catch {
      // Without https, or where it is forbidden: the text can still be selected by hand.
      announce(texts.blocks.copyFailed, "error");
    }
  }

  return (
    <Button small onClick={() => void copy()}>
      {copied ? <CheckIcon /> : <CopyIcon />}
      {copied ? texts.ui.copied : label}
    </Button>
  );
}
