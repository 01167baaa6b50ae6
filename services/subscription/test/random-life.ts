import { randomFrom } from "@malipo/testing";
import type { Act, Life } from "./expected-year.ts";

const acts: readonly [Act, ...Act[]] = [
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
  "by hand",
  "annul oldest",
  "cancel",
];

export interface World {
  readonly days: number;
  /** Days on which nobody is there for anybody; each life has its own if it is left out. */
  readonly outages?: ReadonlySet<number>;
  /** Days on which nobody wants anything. */
  readonly quiet?: ReadonlySet<number>;
}

export function randomLife(seed: number, world: World): Life {
  const { days, quiet } = world;
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[random(items.length)] ?? items[0];
  const outages = new Set<number>();
  for (let outage = random(4); outage > 0; outage -= 1) {
    const from = 1 + random(days);
    const length = pick([1, 2, 5, 20, 40]);
    for (let day = from; day < from + length && day < days; day += 1) outages.add(day);
  }
  const planned = new Map<number, Act>();
  const stride = pick([2, 3, 5, 9, 40]);
  for (let day = 1 + random(stride); day < days; day += 1 + random(2 * stride)) {
    // A cancellation ends the story: most should be long.
    const act = pick(acts);
    if (act !== "cancel" || random(8) === 0) planned.set(day, act);
  }
  for (const day of quiet ?? []) planned.delete(day);
  return {
    cycle: pick(["weekly", "weekly", "monthly", "quarterly"]),
    autorenew: random(3) > 0,
    trialDays: random(3) === 0 ? 1 + random(40) : null,
    endsOn: random(4) === 0 ? 1 + random(days) : null,
    outages: world.outages ?? outages,
    acts: planned,
    days,
  };
}
