/** How a job is spoken of in a message, in the words the agents understand. */

import type { ConversationView, Job } from "@signalbox/client";
import { line } from "../safe/inert";
import { texts } from "../texts";

const LONGEST_NAME = 80;
// "Job 100" is no number of a list to the agents.
const HIGHEST_NUMBER = 99;

/** Its number in the newest list of jobs, by which the agents count; null if it is in none, or too far down. */
export function placeOf(view: ConversationView, job: Job): number | null {
  const place = newestList(view).findIndex((each) => each.job_id === job.job_id) + 1;
  return place > 0 && place <= HIGHEST_NUMBER ? place : null;
}

/** By its number, which is sure, else by its name. */
export function naming(place: number | null, job: Job): string {
  const words = texts.blocks.ask;
  if (place === null) return words.name(line(job.title, LONGEST_NAME), line(job.company, LONGEST_NAME));
  const ordinal = words.ordinals[place - 1];
  return ordinal === undefined ? words.number(place) : words.ordinal(ordinal);
}

function newestList(view: ConversationView): readonly Job[] {
  for (const run of view.runs.toReversed()) {
    if (run.retracted) continue;
    for (const block of run.blocks.toReversed()) {
      if (block.type === "jobs_data" && block.jobs.length > 0) return block.jobs;
    }
  }
  return [];
}
