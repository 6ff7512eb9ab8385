/** A session to test panels with: a fake client that remembers what was asked of it, and a conversation that can be told events. */

import type {
  About,
  Application,
  Approval,
  Client,
  Profile,
  RunView,
  SignalboxEvent,
  SourcedFact,
} from "@signalbox/client";
import { emptyView, startedRun } from "@signalbox/client";
import { render } from "@testing-library/react";
import { type ReactNode, useMemo, useState } from "react";
import { vi } from "vitest";
import { type Session, SessionContext } from "../state/session";

export const ABOUT: About = {
  name: "signalbox",
  version: "0.1.0",
  model: "offline",
  offline: true,
  auth: "cookie",
  signedIn: true,
  limits: { messageChars: 32_000, resumeBytes: 5_000_000 },
  mail: true,
  faults: [],
};

export const RUN: RunView = {
  ...startedRun("r_1"),
  status: "waiting",
  userMessageId: "m_1",
  agent: "followup",
  settled: true,
  attempt: 1,
};

export const MAIL = {
  to: ["jane@acme.example"],
  subject: "My application",
  body: "Dear Jane,\nhow does it stand?",
  reply_to: null,
};

export function approval(changes: Partial<Approval> = {}): Approval {
  return {
    approvalId: "ap_1",
    runId: "r_1",
    tool: "send_email",
    arguments: MAIL,
    digest: "9b1f",
    risk: "It cannot be taken back.",
    createdAt: "2026-11-30T10:00:00Z",
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    decision: null,
    edited: null,
    note: "",
    decidedAt: null,
    ...changes,
  };
}

export function fact(
  id: string,
  key: string,
  value: string,
  changes: Partial<SourcedFact> = {},
): SourcedFact {
  return {
    fact: {
      fact_id: id,
      kind: "fact",
      key,
      value,
      source_message_id: "m_1",
      confidence: 1,
      origin: "said",
      pinned: false,
      noted_on: "2026-11-30",
    },
    createdAt: "2026-11-30T10:00:00Z",
    source: { kind: "message", messageId: "m_1", conversationId: "c_1", text: `I said ${value}` },
    ...changes,
  };
}

export function application(changes: Partial<Application> = {}): Application {
  return {
    application_id: "a_1",
    company: "Haldvik Freight",
    title: "planner",
    status: "applied",
    applied_on: "2026-11-03",
    days_since: 27,
    last_contact_on: "2026-11-03",
    chase_on: "2026-11-13",
    next_step: "write to them now",
    job_id: null,
    ...changes,
  };
}

export const NO_PROFILE: Profile = {
  facts: [],
  newestChange: null,
  resume: null,
  settings: { remember: true },
};

/** What a server answers when it refuses. */
export function refusal(message: string, code: string, status: number, retry = false): Error {
  return Object.assign(new Error(message), { code, status, retry });
}

export interface Stage {
  readonly session: Session;
  readonly container: HTMLElement;
  /** As if it came over the wire. */
  tell(event: Partial<SignalboxEvent>): void;
  /** The same with other content. */
  rerender(content: ReactNode): void;
}

/** `client` has those calls that the test expects; any other is a fault. */
export function stage(
  content: ReactNode,
  { client = {}, ...changes }: Partial<Omit<Session, "client">> & { client?: Partial<Client> } = {},
): Stage {
  const listeners = new Set<(event: SignalboxEvent, id: string | null) => void>();
  const live = {
    conversationId: "c_1",
    state: { view: emptyView, connection: "live", resumed: null, loading: false, error: null },
    subscribe: () => () => undefined,
    onEvent: (listener: (event: SignalboxEvent, id: string | null) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const session = {
    client,
    about: ABOUT,
    live,
    conversations: { refresh: vi.fn(async () => undefined) },
    actions: { send: vi.fn(async () => undefined), decide: vi.fn(async () => undefined) },
    panel: null,
    openPanel: vi.fn(),
    pendingUpload: null,
    offerUpload: vi.fn(),
    leave: null,
    startOver: vi.fn(),
    announce: vi.fn(),
    ...changes,
  } as unknown as Session;
  const { container, rerender } = render(<Around session={session}>{content}</Around>);
  return {
    session,
    container,
    tell: (event) => {
      for (const listener of listeners) listener(event as SignalboxEvent, null);
    },
    rerender: (next) => rerender(<Around session={session}>{next}</Around>),
  };
}

function Around({ session, children }: { session: Session; children: ReactNode }) {
  // The page hands a file over once.
  const [pendingUpload, offerUpload] = useState(session.pendingUpload);
  const own = useMemo(() => ({ ...session, pendingUpload, offerUpload }), [session, pendingUpload]);
  return <SessionContext value={own}>{children}</SessionContext>;
}
