import type { Application } from "@signalbox/client";

export const SHOWN = ["open", "closed", "all"] as const;
export type Shown = (typeof SHOWN)[number];

const CLOSED: ReadonlySet<string> = new Set(["rejected", "withdrawn", "accepted"]);

export function isOpen(application: Application): boolean {
  return !CLOSED.has(application.status);
}

/** Those to show, in the server's order but open ones first. */
export function shownOf(applications: readonly Application[], shown: Shown): readonly Application[] {
  const open = applications.filter(isOpen);
  const closed = applications.filter((one) => !isOpen(one));
  return { open, closed, all: [...open, ...closed] }[shown];
}

/** Whether it is time to write again; `today` is a day as the server writes it. */
export function isDue(application: Application, today: string): boolean {
  return isOpen(application) && application.chase_on !== null && application.chase_on <= today;
}
