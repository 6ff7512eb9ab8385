import { useMemo, useState, useSyncExternalStore } from "react";
import { Virtuoso } from "react-virtuoso";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { download } from "../../ui/download";
import { Fault } from "../../ui/Fault";
import { useDeed } from "../../ui/useDeed";
import { allEvents } from "./allEvents";
import { asLines, type EventRecord, filtered, type Recording } from "./EventRecord";
import { EventRow } from "./EventRow";
import styles from "./events.module.css";

/** The events of this conversation as they come, newest last; it follows the newest while the reader is at the end. */
export function EventList({ record }: { record: EventRecord }) {
  const t = texts.panels.events;
  const live = useSyncExternalStore(record.subscribe, () => record.recording);
  const [held, setHeld] = useState<Recording | null>(null);
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState("");
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const [loads, setLoads] = useState(0);
  const recording = held ?? live;
  const shown = useMemo(() => filtered(recording.events, { types, text }), [recording, types, text]);
  const waiting = held === null ? 0 : arrivedSince(live, held);

  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <input
          type="search"
          value={text}
          aria-label={t.search}
          placeholder={t.search}
          onChange={(event) => setText(event.target.value)}
        />
        <Button small aria-pressed={held !== null} onClick={() => setHeld(held === null ? live : null)}>
          {held === null ? t.pause : t.resume(waiting)}
        </Button>
        <Button
          small
          disabled={shown.length === 0}
          onClick={() => download("events.jsonl", asLines(shown), "application/jsonl")}
        >
          {t.download}
        </Button>
        <Button
          small
          disabled={recording.events.length === 0}
          onClick={() => {
            record.clear();
            setHeld(null);
            setExpanded(new Set());
          }}
        >
          {t.clear}
        </Button>
      </div>
      <Types counts={recording.counts} chosen={types} onChoose={(type) => setTypes(toggled(types, type))} />
      <p className={styles.count}>
        {t.count(shown.length, recording.events.length, recording.dropped)}{" "}
        <Earlier record={record} onLoaded={() => setLoads(loads + 1)} />
      </p>
      {shown.length === 0 ? (
        <p className={styles.none}>{recording.events.length === 0 ? t.empty : t.noMatch}</p>
      ) : (
        <Virtuoso
          // Another list, from its end: places in the one before mean nothing in it.
          key={`${loads} ${[...types].join()} ${text}`}
          className={styles.rows}
          data={shown}
          computeItemKey={(_, one) => one.number}
          followOutput={held === null ? "auto" : false}
          initialTopMostItemIndex={shown.length - 1}
          itemContent={(_, one) => (
            <EventRow
              event={one}
              open={expanded.has(one.number)}
              onToggle={() => setExpanded(toggled(expanded, one.number))}
            />
          )}
        />
      )}
    </div>
  );
}

/** What came before this page looked: the log has it for as long as the server keeps it. */
function Earlier({ record, onLoaded }: { record: EventRecord; onLoaded: () => void }) {
  const t = texts.panels.events;
  const { client, live } = useSession();
  const { conversationId } = live;
  const load = useDeed(async () => {
    if (conversationId === null) return;
    record.putBefore(await allEvents(client, conversationId));
    onLoaded();
  });
  const first = record.recording.events[0]?.seq ?? Number.POSITIVE_INFINITY;
  if (conversationId === null || first <= 1) return null;
  return (
    <>
      <Button small look="quiet" disabled={load.busy} onClick={() => void load.run()}>
        {load.busy ? t.loadingEarlier : t.earlier}
      </Button>
      {load.error !== null && <Fault error={load.error} />}
    </>
  );
}

function Types({
  counts,
  chosen,
  onChoose,
}: {
  counts: ReadonlyMap<string, number>;
  chosen: ReadonlySet<string>;
  onChoose: (type: string) => void;
}) {
  if (counts.size === 0) return null;
  return (
    <fieldset className={styles.types}>
      <legend className="visually-hidden">{texts.panels.events.types}</legend>
      {[...counts].map(([type, count]) => (
        <button key={type} type="button" aria-pressed={chosen.has(type)} onClick={() => onChoose(type)}>
          {type} <span>{count}</span>
        </button>
      ))}
    </fieldset>
  );
}

function toggled<T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}

function arrivedSince(live: Recording, held: Recording): number {
  return (live.events.at(-1)?.number ?? 0) - (held.events.at(-1)?.number ?? 0);
}
