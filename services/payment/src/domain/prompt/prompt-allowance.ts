import { addMs, dayMs, minuteMs } from "@malipo/core";

/** Prompts by pages, on one phone: it may be a stranger's. */
const windows = [
  { lengthMs: 10 * minuteMs, max: 3 },
  { lengthMs: dayMs, max: 10 },
] as const;

interface TakenPrompt {
  readonly attempt: string;
  readonly at: Date;
}

export type TakenPrompts = readonly TakenPrompt[];

/** What still counts against the longest window. */
export function recent(taken: TakenPrompts, now: Date): TakenPrompts {
  return taken.filter(({ at }) => addMs(at, dayMs) > now);
}

/** From when on the phone may be prompted again; null when it may now. */
export function freeFrom(taken: TakenPrompts, now: Date): Date | null {
  const waits = windows.flatMap(({ lengthMs, max }) => {
    const within = taken.map(({ at }) => addMs(at, lengthMs)).filter((until) => until > now);
    const latest = within.toSorted((a, b) => b.getTime() - a.getTime());
    return latest[max - 1] ?? [];
  });
  return waits.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
}
