import { type ReactNode, Suspense, useEffect, useState } from "react";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { type PanelName, useSession } from "../state/session";
import { texts } from "../texts";
import { later } from "../ui/later";
import { Sheet } from "../ui/Sheet";
import { Waiting } from "./common/Waiting";
import { EventRecord } from "./events/EventRecord";
import { useThemeOfOtherTabs } from "./settings/theme";

const ProfilePanel = later(() => import("./profile/ProfilePanel").then((part) => part.default));
const ApplicationsPanel = later(() =>
  import("./applications/ApplicationsPanel").then((part) => part.default),
);
const EventsPanel = later(() => import("./events/EventsPanel").then((part) => part.default));
const SettingsPanel = later(() => import("./settings/SettingsPanel").then((part) => part.default));

/** The panel that is open, if one is. It is always there, since events are recorded before anybody looks at them. */
export function Panels() {
  const { panel, openPanel } = useSession();
  const record = useRecord();
  useThemeOfOtherTabs();
  const contents: Record<PanelName, ReactNode> = {
    profile: <ProfilePanel />,
    applications: <ApplicationsPanel />,
    events: <EventsPanel record={record} />,
    settings: <SettingsPanel />,
  };
  // A panel that slides out keeps its content until it is gone.
  const [last, setLast] = useState<PanelName>("profile");
  if (panel !== null && panel !== last) setLast(panel);
  const name = panel ?? last;
  return (
    <Sheet open={panel !== null} title={texts.panels[name].title} onClose={() => openPanel(null)}>
      <ErrorBoundary key={name}>
        <Suspense fallback={<Waiting />}>{contents[name]}</Suspense>
      </ErrorBoundary>
    </Sheet>
  );
}

/** What came over the wire in the conversation that is shown. */
function useRecord(): EventRecord {
  const { live } = useSession();
  const [record, setRecord] = useState(() => new EventRecord());
  useEffect(() => {
    const own = new EventRecord();
    setRecord(own);
    return live.onEvent(own.add);
  }, [live]);
  return record;
}
