import { texts } from "../../texts";
import { CopyButton } from "../../ui/CopyButton";
import { clock, size } from "../../ui/format";
import type { Recorded } from "./EventRecord";
import styles from "./events.module.css";

export function EventRow({
  event,
  open,
  onToggle,
}: {
  event: Recorded;
  open: boolean;
  onToggle: () => void;
}) {
  return (
    <div className={styles.row} data-testid="event-row" data-type={event.type}>
      <button type="button" aria-expanded={open} className={styles.summary} onClick={onToggle}>
        <span className={styles.seq}>{event.seq}</span>
        <span className={styles.type}>{event.type}</span>
        <span className={styles.time}>{clock(event.ts)}</span>
        <span className={styles.size}>{size(bytesOf(event.json))}</span>
      </button>
      {open && <Whole json={event.json} />}
    </div>
  );
}

function Whole({ json }: { json: string }) {
  const pretty = JSON.stringify(JSON.parse(json), null, 2);
  return (
    <div className={styles.whole}>
      <CopyButton text={pretty} label={texts.panels.events.copy} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{pretty}</pre>
    </div>
  );
}

function bytesOf(json: string): number {
  return new TextEncoder().encode(json).length;
}
