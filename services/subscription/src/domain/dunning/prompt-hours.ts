import { addMs, assert, dayMs, hourMs } from "@malipo/core";

/** The hours of a day in Nairobi in which the service may send prompts to customers' phones. */
export interface PromptHours {
  readonly from: number;
  readonly to: number;
}

/** Kenya has no daylight saving time. */
const nairobiOffsetMs = 3 * hourMs;

/** The date itself if it lies within the prompt hours, else the next time that they begin. */
export function withinHours(date: Date, { from, to }: PromptHours): Date {
  assert(from >= 0 && from < to && to <= 24, "hours of a day, the first before the last");
  const local = date.getTime() + nairobiOffsetMs;
  const midnight = local - (local % dayMs);
  const opens = midnight + from * hourMs;
  const closes = midnight + to * hourMs;
  if (local < opens) return addMs(date, opens - local);
  if (local < closes) return date;
  return addMs(date, opens + dayMs - local);
}
