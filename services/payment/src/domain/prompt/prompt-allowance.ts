import { addMs, dayMs, minuteMs } from "@malipo/core";

/** How many prompts the pay pages may send to one phone, which may belong to a stranger. */
const windows = [
  { lengthMs: 10 * minuteMs, max: 3 },
  { lengthMs: dayMs, max: 10 },
] as const;

interface TakenPrompt {
  readonly attempt: string;
  readonly at: Date;
}

export type TakenPrompts = readonly TakenPrompt[];

/** The prompts that still count in the longest window. */
export function recentPrompts(taken: TakenPrompts, now: Date): TakenPrompts {
  return taken.filter(({ at }) => addMs(at, dayMs) > now);
}

/** When the phone may be prompted again; null when it may be prompted now. */
export function allowedFrom(taken: TakenPrompts, now: Date): Date | null {
  const waits = windows.flatMap(({ lengthMs, max }) => {
    const within = taken.map(({ at }) => addMs(at, lengthMs)).filter((until) => until > now);
    const latest = within.toSorted((a, b) => b.getTime() - a.getTime());
    return latest[max - 1] ?? [];
  });
  return waits.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
}
