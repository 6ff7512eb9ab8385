import { CSPProvider } from "@base-ui/react/csp-provider";
import type { About, Client } from "@signalbox/client";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { Announcer } from "./shell/Announcer";
import { Entrance } from "./shell/Entrance";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { Page } from "./shell/Page";
import { PageNotFound } from "./shell/PageNotFound";
import { Announcements } from "./state/announcements";
import { ConversationList } from "./state/conversations";
import { SessionProvider } from "./state/SessionProvider";
import type { OtherTabs } from "./state/tabs";
import { useConversation } from "./state/useConversation";

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <ErrorBoundary page>
        <Entrance>{(entered) => <Rooms {...entered} />}</Entrance>
      </ErrorBoundary>
    </CSPProvider>
  );
}

interface Entered {
  client: Client;
  about: About;
  leave: (() => void) | null;
  startOver: () => void;
  tabs: OtherTabs;
}

function Rooms(entered: Entered) {
  return (
    <Switch>
      {/* One element for both, so that a new conversation keeps everything when its address becomes known. */}
      <Route path={/^\/(?:c\/(?<id>[^/]+)\/?)?$/}>
        {(params) => <Room {...entered} conversationId={params.id ?? null} />}
      </Route>
      <Route>
        <PageNotFound />
      </Route>
    </Switch>
  );
}

function Room({
  client,
  about,
  leave,
  startOver,
  tabs,
  conversationId,
}: Entered & { conversationId: string | null }) {
  const [, navigate] = useLocation();
  const [announcements] = useState(() => new Announcements());
  const conversations = useMemo(() => new ConversationList(client, tabs), [client, tabs]);
  const live = useConversation(client, conversationId);
  useEffect(() => conversations.follow(), [conversations]);
  const onBegun = useCallback((id: string) => navigate(`/c/${id}`, { replace: true }), [navigate]);
  if (live === null) return null;
  return (
    <SessionProvider
      client={client}
      about={about}
      live={live}
      conversations={conversations}
      announcements={announcements}
      leave={leave}
      startOver={startOver}
      onBegun={onBegun}
    >
      <Page />
      <Announcer announcements={announcements} />
    </SessionProvider>
  );
}
