import { addMs, assert, dayMs, hourMs } from "@malipo/core";

/** From which hour to which, in Nairobi, a customer's phone may ask for money without being asked to. */
export interface PromptHours {
  readonly from: number;
  readonly to: number;
}

/** Kenya keeps one offset all year. */
const nairobiAheadMs = 3 * hourMs;

/** The moment itself when phones may ring then, else the next opening. */
export function withinHours(moment: Date, { from, to }: PromptHours): Date {
  assert(from >= 0 && from < to && to <= 24, "hours of a day, the first before the last");
  const local = moment.getTime() + nairobiAheadMs;
  const midnight = local - (local % dayMs);
  const opens = midnight + from * hourMs;
  const closes = midnight + to * hourMs;
  if (local < opens) return addMs(moment, opens - local);
  if (local < closes) return moment;
  return addMs(moment, opens + dayMs - local);
}
