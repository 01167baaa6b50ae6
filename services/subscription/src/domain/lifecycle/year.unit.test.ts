import { describe, expect, it } from "vitest";
import { type Act, byTheCalendar, type Life } from "../../../test/expected-year.ts";
import { randomLife } from "../../../test/random-life.ts";
import { story } from "../../../test/story.ts";

const days = 400;
const lives = 500;
const isOpen = / (unpaid|partially_paid)$/;

/** Half an invoice or a whole one: a subscription waits for it all the same. */
const asOpen = (line: string) => line.replace(/ (partially_paid|half paid)$/, " unpaid");

function perform(life: ReturnType<typeof story>, act: Act): void {
  const open = life.invoices.flatMap((line, index) => (isOpen.test(line) ? index + 1 : []));
  const [oldest] = open;
  if (act === "pause") life.pause();
  if (act === "resume") life.resume();
  if (act === "cancel") life.cancel();
  if (act === "by hand") life.generate();
  if (act === "pay oldest" && oldest) life.pay(oldest);
  if (act === "annul oldest" && oldest) life.cancelInvoice(oldest);
  if (act === "pay all") for (const number of open) life.pay(number);
  if (act === "pay half" && oldest) life.payPart(oldest);
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
  return { invoices: life.invoices.map(asOpen), status: life.state.status };
}

describe("a year in the lives of five hundred", () => {
  it("is billed as a person with a calendar would bill it", () => {
    const statuses = new Set<string>();
    let invoices = 0;
    for (let seed = 1; seed <= lives; seed += 1) {
      const life = randomLife(seed, { days });
      const lived = live(life);
      const { invoices: billed, status } = byTheCalendar(life);
      expect({ seed, ...lived }).toEqual({ seed, invoices: billed.map(asOpen), status });
      statuses.add(lived.status);
      invoices += lived.invoices.length;
    }
    // The lives were not all alike.
    expect(statuses.size).toBeGreaterThanOrEqual(4);
    expect(invoices).toBeGreaterThan(2_000);
  });
});
