import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import styles from "./Page.module.css";

/** A CV dropped anywhere on the page, or pasted, goes to the profile panel. */
export function DropZone({ children }: { children: ReactNode }) {
  const { offerUpload, announce } = useSession();
  const [over, setOver] = useState(false);
  // Every element below sends its own enter and leave.
  const depth = useRef(0);
  const take = (files: FileList) => {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1) announce(texts.shell.oneFile);
    offerUpload(file);
  };
  const entered = (event: DragEvent, change: 1 | -1) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + change);
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    take(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => {
    // Office programs put a picture beside the text that is meant.
    if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    take(event.clipboardData.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the profile panel has a button for the same.
    <div
      onDragEnter={(event) => entered(event, 1)}
      onDragLeave={(event) => entered(event, -1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={drop}
      onPaste={paste}
    >
      {children}
      {over && (
        <div className={styles.drop} aria-hidden="true">
          <strong>{texts.shell.dropHere}</strong>
          <span>{texts.shell.dropHint}</span>
        </div>
      )}
    </div>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes("Files");
}
