import { describe, expect, it } from "vitest";
import { type Act, byTheCalendar, type Life } from "../test/plain-calendar.ts";
import { story } from "../test/story.ts";

const days = 400;
const lives = 500;
const acts: readonly [Act, ...Act[]] = [
  "pay oldest",
  "pay oldest",
  "pay all",
  "pay all",
  "pay all",
  "pay all",
  "pause",
  "resume",
  "resume",
  "by hand",
  "annul oldest",
  "cancel",
];

/** The same numbers from the same seed, on every machine. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}

function randomLife(seed: number): Life {
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
  return {
    cycle: pick(["weekly", "weekly", "monthly", "quarterly"]),
    autorenew: random(3) > 0,
    trialDays: random(3) === 0 ? 1 + random(40) : null,
    endsOn: random(4) === 0 ? 1 + random(days) : null,
    outages,
    acts: planned,
    days,
  };
}

function perform(life: ReturnType<typeof story>, act: Act): void {
  const open = life.invoices.flatMap((line, index) => (line.endsWith("unpaid") ? index + 1 : []));
  const [oldest] = open;
  if (act === "pause") life.pause();
  if (act === "resume") life.resume();
  if (act === "cancel") life.cancel();
  if (act === "by hand") life.generate();
  if (act === "pay oldest" && oldest) life.pay(oldest);
  if (act === "annul oldest" && oldest) life.cancelInvoice(oldest);
  if (act === "pay all") for (const number of open) life.pay(number);
}

function live({ cycle, autorenew, trialDays, endsOn, outages, acts: planned }: Life) {
  const life = story({
    cycle,
    autorenew,
    ...(trialDays !== null && { trialDays }),
    ...(endsOn !== null && { endsOn }),
  });
  for (let day = 1; day <= days; day += 1) {
    if (outages.has(day)) continue;
    life.sleepUntil(day);
    life.workOff();
    const act = planned.get(day);
    if (act) perform(life, act);
  }
  return { invoices: life.invoices, status: life.state.status };
}

describe("a year in the lives of five hundred", () => {
  it("is billed as a person with a calendar would bill it", () => {
    const statuses = new Set<string>();
    let invoices = 0;
    for (let seed = 1; seed <= lives; seed += 1) {
      const life = randomLife(seed);
      const lived = live(life);
      expect({ seed, ...lived }).toEqual({ seed, ...byTheCalendar(life) });
      statuses.add(lived.status);
      invoices += lived.invoices.length;
    }
    // The lives were not all alike.
    expect(statuses.size).toBeGreaterThanOrEqual(4);
    expect(invoices).toBeGreaterThan(2_000);
  });
});
