import type { ResumeTaken } from "@signalbox/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { asError, inWords } from "../../ui/fault";
import { size } from "../../ui/format";

export type UploadState =
  | { readonly step: "idle" }
  | { readonly step: "sending"; readonly name: string; readonly fraction: number }
  | { readonly step: "reading"; readonly name: string }
  | { readonly step: "taken"; readonly taken: ResumeTaken }
  /** `file` can be sent again as it is. */
  | { readonly step: "failed"; readonly error: Error; readonly file: File }
  /** Nothing was sent, and why. */
  | { readonly step: "told"; readonly text: string };

export interface Upload {
  readonly state: UploadState;
  start(files: readonly File[]): void;
  cancel(): void;
}

/** Sends a CV, one at a time. It goes on if the panel is closed, and then says at the page's edge how it went. */
export function useUpload(onTaken: () => Promise<void>): Upload {
  const { client, about, announce } = useSession();
  const [state, setState] = useState<UploadState>({ step: "idle" });
  const going = useRef<{ file: File; controller: AbortController } | null>(null);
  const shown = useShown();
  const limit = about.limits.resumeBytes;

  const send = useCallback(
    async (file: File, signal: AbortSignal) => {
      const name = file.name;
      const onProgress = (fraction: number) =>
        setState(fraction < 1 ? { step: "sending", name, fraction } : { step: "reading", name });
      try {
        const taken = await client.uploadResume(file, { name, onProgress, signal });
        // What it changed first: the result is not to be pushed away by it a moment later.
        await onTaken();
        setState({ step: "taken", taken });
        if (!shown.current) announce(texts.panels.resume.took);
      } catch (fault) {
        if (signal.aborted) return setState({ step: "told", text: texts.panels.resume.cancelled });
        const error = asError(fault);
        setState({ step: "failed", error, file });
        if (!shown.current) announce(inWords(error), "error");
      } finally {
        going.current = null;
      }
    },
    [client, announce, onTaken, shown],
  );

  const start = useCallback(
    (files: readonly File[]) => {
      const [file] = files;
      const refusal = refusalOf(files, limit);
      // Handed over twice is sent once: effects may run again.
      if (file !== undefined && going.current?.file === file) return;
      if (going.current !== null) return announce(texts.panels.resume.oneOnly, "error");
      if (file === undefined || refusal !== null) return setState({ step: "told", text: refusal ?? "" });
      const controller = new AbortController();
      going.current = { file, controller };
      setState({ step: "sending", name: file.name, fraction: 0 });
      void send(file, controller.signal);
    },
    [limit, send, announce],
  );

  const cancel = useCallback(() => going.current?.controller.abort(), []);
  return { state, start, cancel };
}

/** What can be told without asking the server; a file that is too large is not sent in vain. */
function refusalOf(files: readonly File[], limit: number): string | null {
  const t = texts.panels.resume;
  const [file] = files;
  if (file === undefined) return t.noFile;
  if (files.length > 1) return t.oneOnly;
  if (file.size === 0) return t.emptyFile;
  return file.size > limit ? t.tooLarge(size(file.size), size(limit)) : null;
}

function useShown() {
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return shown;
}
