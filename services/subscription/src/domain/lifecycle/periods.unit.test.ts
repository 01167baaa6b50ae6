import { billingCycles, cycleDays, dayMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, simulate } from "../../../test/simulated-subscription.ts";
import { boundaryAfter, periodFrom } from "./periods.ts";

const cycles = fc.constantFrom(...billingCycles);
const dates = fc.date({
  min: new Date("2020-01-01"),
  max: new Date("2040-01-01"),
  noInvalidDate: true,
});

describe("periods", () => {
  it("periodFrom has the length of the cycle, and the next period begins at its end", () => {
    fc.assert(
      fc.property(dates, cycles, (from, cycle) => {
        const first = periodFrom(from, cycle);
        expect(first.to.getTime() - first.from.getTime()).toBe(cycleDays[cycle] * dayMs);
        expect(periodFrom(first.to, cycle).from).toEqual(first.to);
      }),
    );
  });

  it("boundaryAfter lies ahead, at most one cycle away, and whole cycles from the billing anchor", () => {
    fc.assert(
      fc.property(dates, dates, cycles, (billingAnchor, now, cycle) => {
        const boundary = boundaryAfter(now, billingAnchor, cycle).getTime();
        const length = cycleDays[cycle] * dayMs;
        expect(boundary).toBeGreaterThan(now.getTime());
        expect(boundary - now.getTime()).toBeLessThanOrEqual(length);
        expect(Math.abs(boundary - billingAnchor.getTime()) % length).toBe(0);
      }),
    );
  });
});

const actions = fc.constantFrom("pause", "resume", "pay", "wait", "generate", "cancel invoice");
const steps = fc.array(fc.tuple(actions, fc.integer({ min: 0, max: 12 })), { maxLength: 40 });

/** Simulates random actions and returns the period starts that were billed. */
function simulateSteps(
  autorenew: boolean,
  trialDays: number | undefined,
  plan: [string, number][],
) {
  const simulation = simulate({ autorenew, ...(trialDays && { trialDays }) });
  let day = 0;
  let reactivated = false;
  for (const [action, days] of plan) {
    day += days;
    simulation.runTo(day);
    const before = simulation.state.status;
    const last = simulation.invoices.length;
    if (action === "pause") simulation.pause();
    if (action === "resume") simulation.resume();
    if (action === "generate") simulation.generate();
    if (action === "cancel invoice" && last > 0) simulation.cancelInvoice(last);
    if (action === "pay") for (let each = 1; each <= last; each += 1) simulation.pay(each);
    reactivated ||= before === "pending" && simulation.state.status === "active";
  }
  const starts = simulation.invoices.flatMap((invoice) => {
    const start = /: (?:cycle|renewal) ([\d.]+)/.exec(invoice)?.[1];
    return start === undefined ? [] : [Number(start)];
  });
  return { simulation, starts, reactivated };
}

describe("a subscription with random actions", () => {
  it("is never billed twice for the same day", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 20 })),
        steps,
        (autorenew, trial, plan) => {
          const { starts } = simulateSteps(autorenew, trial ?? undefined, plan);
          starts.slice(1).forEach((start, index) => {
            expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(7);
          });
        },
      ),
    );
  });

  it("keeps its first billing anchor unless it was reactivated from pending", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 20 })),
        steps,
        (autorenew, trial, plan) => {
          const { simulation, starts, reactivated } = simulateSteps(
            autorenew,
            trial ?? undefined,
            plan,
          );
          if (reactivated) return;
          for (const start of starts) expect((start - (trial ?? 0)) % 7).toBe(0);
          const next = simulation.state.next ?? trial ?? 0;
          expect((next - (trial ?? 0)) % 7).toBe(0);
        },
      ),
    );
  });

  it("is billed for every day while all invoices are paid and it is never paused", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200 }),
        (stride, days) => {
          const simulation = simulate({ autorenew: true });
          for (let day = 0; day <= days; day += Math.min(stride, 3)) {
            simulation.runTo(day);
            simulation.invoices.forEach((_, index) => simulation.pay(index + 1));
          }
          const billedUntil = dayOf(simulation.subscription.coveredthrough) ?? 0;
          expect(simulation.invoices.filter((each) => each.includes("cycle"))).toHaveLength(
            billedUntil / 7,
          );
        },
      ),
    );
  });
});
