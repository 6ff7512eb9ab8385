import type { StoredResume } from "@signalbox/client";
import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { RESUME_FILES } from "../../state/resume";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { size } from "../../ui/format";
import { UploadIcon } from "../../ui/icons";
import type { Loaded } from "../common/useLoaded";
import { PasteText } from "./PasteText";
import styles from "./profile.module.css";
import { ResumeTakenView } from "./ResumeTakenView";
import { type UploadState, useUpload } from "./useUpload";

/** A CV by choosing, by dropping, or handed over from the chat. */
export function Upload({
  stored,
  onTaken,
}: {
  stored: Loaded<StoredResume | null>;
  onTaken: () => Promise<void>;
}) {
  const t = texts.panels.resume;
  const { about, pendingUpload, offerUpload } = useSession();
  const { state, start, cancel } = useUpload(onTaken);
  const [over, setOver] = useState(false);
  const id = useId();
  const zone = useRef<HTMLDivElement>(null);
  const handed = useRef(false);
  const busy = state.step === "sending" || state.step === "reading";

  useEffect(() => {
    if (pendingUpload === null) return;
    handed.current = true;
    offerUpload(null);
    start([pendingUpload]);
  }, [pendingUpload, offerUpload, start]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with each step there is something else to see
  useEffect(() => {
    // Who gave the file to the chat has not seen this part of the panel yet.
    if (handed.current) zone.current?.scrollIntoView({ block: "start" });
  }, [state.step]);

  // The page around takes files, too: what is dragged here is not its business.
  const dragged = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const outside = !event.currentTarget.contains(event.relatedTarget as Node | null);
    setOver(event.type !== "drop" && !(event.type === "dragleave" && outside));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the field in it is for everybody */}
      <div
        ref={zone}
        className={over ? styles.dropOver : styles.drop}
        data-testid="upload-drop"
        onDragEnter={dragged}
        onDragOver={dragged}
        onDragLeave={dragged}
        onDrop={(event) => {
          dragged(event);
          start([...event.dataTransfer.files]);
        }}
      >
        {busy ? (
          <Progress state={state} onCancel={cancel} />
        ) : (
          <>
            <UploadIcon />
            <span>
              {over ? t.dropNow : t.drop}{" "}
              <input
                id={id}
                type="file"
                className="visually-hidden"
                accept={RESUME_FILES}
                data-testid="upload-input"
                onChange={(event) => {
                  start([...(event.target.files ?? [])]);
                  // Choosing the same file again is a change, too.
                  event.target.value = "";
                }}
              />
              <label htmlFor={id} className={styles.choose}>
                {t.choose}
              </label>
            </span>
            <span className={styles.soft}>
              {t.lead} {t.limit(size(about.limits.resumeBytes))} {stored.value && t.replace}
            </span>
          </>
        )}
      </div>
      {!busy && <PasteText onSend={(file) => start([file])} />}
      {!isGone(state, stored) && <Result state={state} onAgain={start} />}
    </>
  );
}

/** What an upload did says nothing once that CV was erased, undone or replaced. */
function isGone(state: UploadState, stored: Loaded<StoredResume | null>): boolean {
  return state.step === "taken" && stored.error === null && stored.value?.resumeId !== state.taken.resumeId;
}

function Progress({ state, onCancel }: { state: UploadState; onCancel: () => void }) {
  const t = texts.panels.resume;
  if (state.step !== "sending" && state.step !== "reading") return null;
  const text = state.step === "sending" ? t.sending(state.name) : t.reading(state.name);
  return (
    <div className={styles.progress}>
      <span role="status" dir="auto">
        {text}
      </span>
      {state.step === "sending" ? (
        <progress max={1} value={state.fraction} aria-label={text} data-testid="upload-progress">
          {texts.units.percent(state.fraction)}
        </progress>
      ) : (
        <progress aria-label={text} data-testid="upload-progress" />
      )}
      <Button small onClick={onCancel}>
        {texts.ui.cancel}
      </Button>
    </div>
  );
}

function Result({ state, onAgain }: { state: UploadState; onAgain: (files: readonly File[]) => void }) {
  switch (state.step) {
    case "taken":
      return <ResumeTakenView taken={state.taken} />;
    case "told":
      return (
        <p className={styles.told} role="status">
          {state.text}
        </p>
      );
    case "failed": {
      // The server says what to do about the file; the same file again only helps where it says so.
      const again = "retry" in state.error && state.error.retry === true;
      return <Fault error={state.error} onRetry={again ? () => onAgain([state.file]) : undefined} />;
    }
    default:
      return null;
  }
}
