import { randomFrom } from "@malipo/testing";
import type { Action, Scenario } from "./expected-year.ts";

/** An action that is listed more often is drawn more often. */
const actions: readonly [Action, ...Action[]] = [
  "pay oldest",
  "pay oldest",
  "pay all",
  "pay all",
  "pay all",
  "pay all",
  "pay half",
  "pay half",
  "fail to pay",
  "pause",
  "resume",
  "resume",
  "generate invoice",
  "cancel oldest invoice",
  "cancel",
];

export interface Surroundings {
  readonly days: number;
  /** Outages that all scenarios share. If absent, each scenario draws its own. */
  readonly outages?: ReadonlySet<number>;
  /** Days without actions. */
  readonly quiet?: ReadonlySet<number>;
}

export function drawScenario(seed: number, surroundings: Surroundings): Scenario {
  const { days, quiet } = surroundings;
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[random(items.length)] ?? items[0];
  const outages = new Set<number>();
  for (let outage = random(4); outage > 0; outage -= 1) {
    const from = 1 + random(days);
    const length = pick([1, 2, 5, 20, 40]);
    for (let day = from; day < from + length && day < days; day += 1) outages.add(day);
  }
  const planned = new Map<number, Action>();
  const stride = pick([2, 3, 5, 9, 40]);
  for (let day = 1 + random(stride); day < days; day += 1 + random(2 * stride)) {
    // A cancellation ends the scenario, so most of them are left out.
    const action = pick(actions);
    if (action !== "cancel" || random(8) === 0) planned.set(day, action);
  }
  for (const day of quiet ?? []) planned.delete(day);
  return {
    cycle: pick(["weekly", "weekly", "monthly", "quarterly"]),
    autorenew: random(3) > 0,
    trialDays: random(3) === 0 ? 1 + random(40) : null,
    endsOn: random(4) === 0 ? 1 + random(days) : null,
    outages: surroundings.outages ?? outages,
    actions: planned,
    days,
  };
}
