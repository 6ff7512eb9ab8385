import type { Application } from "@signalbox/client";
import { line } from "../safe/inert";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import styles from "./ApplicationStatus.module.css";
import type { BlockProps } from "./block";
import { absolute, day, daysFrom } from "./format";
import { keyed } from "./keyed";
import { Chip, Collapsed, DateShown, Frame, Notice, Plain, type Tone } from "./parts";
import shared from "./parts.module.css";

const FEW = 6;
const LOOKS: Readonly<Record<string, [tone: Tone, mark: string]>> = {
  applied: ["accent", "→"],
  acknowledged: ["accent", "◐"],
  interview: ["good", "◆"],
  offer: ["good", "★"],
  accepted: ["good", "✓"],
  rejected: ["plain", "✕"],
  withdrawn: ["plain", "↩"],
};

/** The tracker as it stands after this turn; the application it changed is marked. */
export function ApplicationStatus({ block }: BlockProps<"application_status">) {
  const { openPanel } = useSession();
  const words = texts.blocks.applications;
  return (
    <Frame type="application_status" title={words.title(block.applications.length)}>
      {block.applications.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <Collapsed items={changedFirst(block)} few={FEW}>
        {(shown) => (
          <ul className={shared.rows}>
            {keyed(shown, (a) => a.application_id).map(({ key, item: application }) => (
              <Row
                key={key}
                application={application}
                changed={application.application_id === block.changed && block.applications.length > 1}
              />
            ))}
          </ul>
        )}
      </Collapsed>
      <Button small look="quiet" className={styles.open} onClick={() => openPanel("applications")}>
        {words.open}
      </Button>
    </Frame>
  );
}

/** What the turn changed is never behind "show more". */
function changedFirst({ applications, changed }: BlockProps<"application_status">["block"]): Application[] {
  const is = (each: Application) => each.application_id === changed;
  return [...applications.filter(is), ...applications.filter((each) => !is(each))];
}

function Row({ application, changed }: { application: Application; changed: boolean }) {
  const words = texts.blocks.applications;
  const status = line(application.status, 40);
  const [tone, mark] = LOOKS[status] ?? ["plain", "·"];
  return (
    <li className={changed ? styles.changed : undefined}>
      <div className={styles.head}>
        <strong>
          <Plain text={application.title || texts.blocks.untitled} limit={160} />
        </strong>
        <div className={shared.chips}>
          {changed && <Chip tone="accent">{words.changed}</Chip>}
          <Chip tone={tone} mark={mark}>
            {words.statuses[status] ?? status}
          </Chip>
        </div>
      </div>
      <p className={styles.facts}>
        <Plain text={application.company} limit={120} />
        <DateShown iso={application.applied_on} prefix={`${words.applied} `} />
      </p>
      {application.next_step && (
        <p className={styles.facts}>
          {words.next} <Plain text={application.next_step} limit={300} />
        </p>
      )}
      <Chase on={application.chase_on} />
    </li>
  );
}

function Chase({ on }: { on: string | null }) {
  const date = day(on);
  if (date === null) return null;
  const words = texts.blocks.applications;
  const due = daysFrom(date) <= 0;
  return (
    <Notice tone={due ? "warn" : "plain"} mark={due ? "!" : "◷"}>
      {due ? words.chaseNow(absolute(date)) : words.chaseOn(absolute(date))}
    </Notice>
  );
}
