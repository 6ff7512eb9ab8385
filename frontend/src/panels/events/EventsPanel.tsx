import { Tabs } from "@base-ui/react/tabs";
import { texts } from "../../texts";
import { EventList } from "./EventList";
import type { EventRecord } from "./EventRecord";
import styles from "./events.module.css";
import { UsageTable } from "./UsageTable";

/** For developers: what comes over the wire, and what it costs. */
export default function EventsPanel({ record }: { record: EventRecord }) {
  const t = texts.panels.events;
  return (
    <Tabs.Root defaultValue="events" className={styles.panel} data-testid="panel-events">
      <Tabs.List className={styles.tabs}>
        <Tabs.Tab value="events">{t.events}</Tabs.Tab>
        <Tabs.Tab value="usage">{t.usage}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="events" className={styles.tab}>
        <EventList record={record} />
      </Tabs.Panel>
      <Tabs.Panel value="usage" className={styles.tab}>
        <UsageTable />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
