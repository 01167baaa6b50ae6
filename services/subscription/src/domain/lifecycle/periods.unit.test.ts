import { billingCycles, cycleDays, dayMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, story } from "../../../test/story.ts";
import { boundaryAfter, periodFrom } from "./periods.ts";

const cycles = fc.constantFrom(...billingCycles);
const moments = fc.date({
  min: new Date("2020-01-01"),
  max: new Date("2040-01-01"),
  noInvalidDate: true,
});

describe("periods", () => {
  it("have the length of their cycle, and each begins where the one before it ends", () => {
    fc.assert(
      fc.property(moments, cycles, (from, cycle) => {
        const first = periodFrom(from, cycle);
        expect(first.to.getTime() - first.from.getTime()).toBe(cycleDays[cycle] * dayMs);
        expect(periodFrom(first.to, cycle).from).toEqual(first.to);
      }),
    );
  });

  it("have the next boundary ahead, at most a cycle away, in the rhythm", () => {
    fc.assert(
      fc.property(moments, moments, cycles, (rhythm, now, cycle) => {
        const boundary = boundaryAfter(now, rhythm, cycle).getTime();
        const length = cycleDays[cycle] * dayMs;
        expect(boundary).toBeGreaterThan(now.getTime());
        expect(boundary - now.getTime()).toBeLessThanOrEqual(length);
        expect(Math.abs(boundary - rhythm.getTime()) % length).toBe(0);
      }),
    );
  });
});

const acts = fc.constantFrom("pause", "resume", "pay", "wait", "generate", "cancel invoice");
const steps = fc.array(fc.tuple(acts, fc.integer({ min: 0, max: 12 })), { maxLength: 40 });

/** Lives a random life and says for which days it was billed. */
function live(autorenew: boolean, trialDays: number | undefined, plan: [string, number][]) {
  const life = story({ autorenew, ...(trialDays && { trialDays }) });
  let day = 0;
  let settledLate = false;
  for (const [act, days] of plan) {
    day += days;
    life.until(day);
    const before = life.state.status;
    const last = life.invoices.length;
    if (act === "pause") life.pause();
    if (act === "resume") life.resume();
    if (act === "generate") life.generate();
    if (act === "cancel invoice" && last > 0) life.cancelInvoice(last);
    if (act === "pay") for (let each = 1; each <= last; each += 1) life.pay(each);
    settledLate ||= before === "pending" && life.state.status === "active";
  }
  const starts = life.invoices.flatMap((invoice) => {
    const start = /: (?:cycle|renewal) ([\d.]+)/.exec(invoice)?.[1];
    return start === undefined ? [] : [Number(start)];
  });
  return { life, starts, settledLate };
}

describe("whatever happens to a subscription", () => {
  it("no day is billed twice, and each period once", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 20 })),
        steps,
        (autorenew, trial, plan) => {
          const { starts } = live(autorenew, trial ?? undefined, plan);
          starts.slice(1).forEach((start, index) => {
            expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(7);
          });
        },
      ),
    );
  });

  it("the rhythm of its beginning is kept, unless it was settled late", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 20 })),
        steps,
        (autorenew, trial, plan) => {
          const { life, starts, settledLate } = live(autorenew, trial ?? undefined, plan);
          if (settledLate) return;
          for (const start of starts) expect((start - (trial ?? 0)) % 7).toBe(0);
          const next = life.state.next ?? trial ?? 0;
          expect((next - (trial ?? 0)) % 7).toBe(0);
        },
      ),
    );
  });

  it("no day goes unbilled while it is paid for and never paused", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200 }),
        (stride, days) => {
          const life = story({ autorenew: true });
          for (let day = 0; day <= days; day += Math.min(stride, 3)) {
            life.until(day);
            life.invoices.forEach((_, index) => life.pay(index + 1));
          }
          const billedUntil = dayOf(life.subscription.coveredthrough) ?? 0;
          expect(life.invoices.filter((each) => each.includes("cycle"))).toHaveLength(
            billedUntil / 7,
          );
        },
      ),
    );
  });
});
