import { dayMs } from "@malipo/core";
import { randomFrom } from "@malipo/testing";
import { randomLife } from "./random-life.ts";

export const dawn = new Date("2020-01-01T06:00:00Z");
export const day = (days: number): Date => new Date(dawn.getTime() + days * dayMs);
export const dayOf = (date: Date): number => (date.getTime() - dawn.getTime()) / dayMs;
/** Of every period, in shillings. */
export const price = 250;
export type Worker = "subscription" | "invoice" | "scheduler";

export interface YearPlan {
  readonly seed: number;
  readonly lives: number;
  readonly days: number;
  /** Stretches of days on which a service is away, and how long they may be. */
  readonly outages: readonly { readonly who: Worker; readonly days: number }[];
  /** Workers that are killed while they work off what a day has brought. */
  readonly kills: readonly Worker[];
  /** Whether the scheduler asks, or the test in its place. */
  readonly scheduled: boolean;
}

/** When who is away, when who is killed, and who lives how: all of it from the seed. */
export function worldOf({ seed, lives, days, outages, kills }: YearPlan) {
  const random = randomFrom(seed);
  const away = new Map<number, Worker>();
  for (const { who, days: length } of outages) {
    const from = 2 + random(days - length - 2);
    for (let one = from; one < from + length; one += 1) away.set(one, who);
  }
  const killed = new Map<number, { who: Worker; share: number }>();
  while (killed.size < kills.length) {
    const on = 1 + random(days - 1);
    if (away.has(on)) continue;
    killed.set(on, { who: kills[killed.size] ?? "subscription", share: random(100) / 100 });
  }
  const daysWithout = (isMeant: (who: Worker) => boolean) =>
    new Set([...away].filter(([, who]) => isMeant(who)).map(([on]) => on));
  const world = {
    days,
    // Without the invoice service what is due is billed all the same; only nobody can pay.
    outages: daysWithout((who) => who !== "invoice"),
    quiet: daysWithout((who) => who === "invoice"),
  };
  const all = Array.from({ length: lives }, (_, index) => randomLife(seed * 1_000 + index, world));
  return { away, killed, lives: all };
}
