import { dayMs } from "@malipo/core";
import { randomFrom } from "@malipo/testing";
import { drawScenario } from "./random-scenario.ts";

/** The first day of every run. Dates are written as days since then. */
export const start = new Date("2020-01-01T06:00:00Z");
export const day = (days: number): Date => new Date(start.getTime() + days * dayMs);
export const dayOf = (date: Date): number => (date.getTime() - start.getTime()) / dayMs;
/** The price of each period, in shillings. */
export const price = 250;
export type Worker = "subscription" | "invoice" | "scheduler";

export interface YearPlan {
  readonly seed: number;
  /** The number of subscriptions. */
  readonly subscriptions: number;
  readonly days: number;
  /** A service is stopped for a number of days; the seed draws when. */
  readonly outages: readonly { readonly worker: Worker; readonly days: number }[];
  /** Workers that are killed while they process what is due on a day. */
  readonly kills: readonly Worker[];
  /** True: the scheduler starts the jobs. False: the test calls the owners directly. */
  readonly scheduled: boolean;
}

/** Draws the outages, the kills and the scenarios from the seed. */
export function drawYear({ seed, subscriptions, days, outages, kills }: YearPlan) {
  const random = randomFrom(seed);
  const stopped = new Map<number, Worker>();
  for (const { worker, days: length } of outages) {
    const from = 2 + random(days - length - 2);
    for (let each = from; each < from + length; each += 1) stopped.set(each, worker);
  }
  const killed = new Map<number, { worker: Worker; share: number }>();
  while (killed.size < kills.length) {
    const on = 1 + random(days - 1);
    if (stopped.has(on)) continue;
    killed.set(on, { worker: kills[killed.size] ?? "subscription", share: random(100) / 100 });
  }
  const daysWithout = (isMeant: (worker: Worker) => boolean) =>
    new Set([...stopped].filter(([, worker]) => isMeant(worker)).map(([on]) => on));
  const surroundings = {
    days,
    // Without the invoice service periods are billed on time, but no invoice can be paid.
    outages: daysWithout((worker) => worker !== "invoice"),
    quiet: daysWithout((worker) => worker === "invoice"),
  };
  const scenarios = Array.from({ length: subscriptions }, (_, index) =>
    drawScenario(seed * 1_000 + index, surroundings),
  );
  return { stopped, killed, scenarios };
}
