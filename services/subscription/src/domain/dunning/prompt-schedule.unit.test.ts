import { addMs, dayMs, hourMs, minuteMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { start, day, simulate } from "../../../test/simulated-subscription.ts";
import {
  awaitOutcome,
  claimPrompt,
  findDuePrompt,
  endPrompts,
  failPrompt,
  nextAttemptAt,
  findPromptedBy,
  promptsMax,
  succeedPrompt,
  withinHours,
  releaseClaim,
} from "./prompt-schedule.ts";
import { applyInvoiceUpdates } from "../lifecycle/invoice-updates.ts";
import { isOpen, notPrompted, type OpenInvoice } from "../lifecycle/open-invoices.ts";
import { schedule } from "../lifecycle/schedule.ts";
import type { Subscription } from "../lifecycle/subscription.ts";

const daytime = { from: 8, to: 20 };
const always = { from: 0, to: 24 };

describe("prompt hours", () => {
  it.each([
    ["2026-01-01T04:59:59Z", "2026-01-01T05:00:00.000Z"],
    ["2026-01-01T05:00:00Z", "2026-01-01T05:00:00.000Z"],
    ["2026-01-01T16:59:59Z", "2026-01-01T16:59:59.000Z"],
    ["2026-01-01T17:00:00Z", "2026-01-02T05:00:00.000Z"],
    ["2025-12-31T21:30:00Z", "2026-01-01T05:00:00.000Z"],
  ])("withinHours moves %s to %s", (date, expected) => {
    expect(withinHours(new Date(date), daytime).toISOString()).toBe(expected);
  });

  it("withinHours moves a date by less than a day and into the prompt hours", () => {
    const dates = fc.date({
      min: new Date("2020-01-01"),
      max: new Date("2040-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        const moved = withinHours(date, daytime);
        expect(moved.getTime() - date.getTime()).toBeGreaterThanOrEqual(0);
        expect(moved.getTime() - date.getTime()).toBeLessThan(dayMs);
        const hour = (moved.getUTCHours() + 3) % 24;
        expect(hour >= daytime.from && hour < daytime.to).toBe(true);
      }),
    );
  });
});

describe("nextAttemptAt", () => {
  it.each([
    ["insufficient_funds", 2 * dayMs],
    ["cancelled_by_payer", dayMs],
    ["wrong_pin", dayMs],
    ["unreachable", 3 * hourMs],
    ["an unknown reason", dayMs],
  ])("after %s is %i ms later", (reason, delayMs) => {
    expect(nextAttemptAt(reason, start, always)).toEqual(addMs(start, delayMs));
  });
});

function fresh(): Subscription {
  return simulate({ autorenew: true }).subscription;
}

function firstInvoice(subscription: Subscription): OpenInvoice {
  const [invoice] = subscription.invoices;
  if (!invoice) throw new Error("the subscription has no invoice");
  return invoice;
}

describe("the prompts of a subscription", () => {
  it("are due at once when the invoice is known, and never without autorenew", () => {
    expect(firstInvoice(fresh()).prompting).toMatchObject({ attempt: 0, nextat: start });
    expect(findDuePrompt(fresh(), start)).not.toBeNull();
    expect(findDuePrompt(simulate().subscription, start)).toBeNull();
  });

  it("are scheduled when the event of an invoice arrives that is known from an answer", () => {
    const known = { ...firstInvoice(fresh()), prompting: notPrompted };
    const answered = { ...fresh(), invoices: [known] };
    const { why, of, state, duedate } = known;
    const updates = [{ why, of, state, duedate, invoiceid: "f".repeat(24), seq: 2, at: start }];
    const change = applyInvoiceUpdates(answered, updates, start, { now: start, hours: always });
    expect(change && findDuePrompt(change.entity, start)).not.toBeNull();
  });

  it("wait for the outcome of a sent prompt, and make the subscription due at its timeout", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.skipTo(15);
    simulation.processDue();
    const now = day(15);
    const [, first, second] = simulation.subscription.invoices;
    if (!first || !second) throw new Error("two weeks were missed");
    expect(findDuePrompt(simulation.subscription, now)).toBe(first);
    const claimed = claimPrompt(simulation.subscription, first, now, always);
    const sent = awaitOutcome(claimed, first, "e".repeat(24), now);
    expect(findDuePrompt(sent, now)).toBeNull();
    expect(schedule(sent, now).dueat).toEqual(addMs(now, 25 * hourMs));
    const failed = failPrompt(sent, first, "unreachable", now, always);
    expect(schedule(failed, now).dueat).toEqual(now);
    expect(findDuePrompt(failed, now)).toMatchObject({ of: second.of });
  });

  it("are scheduled for the next prompt hours before the invoice is issued", () => {
    const early = simulate({ autorenew: true, hours: { from: 10, to: 20 } });
    expect(firstInvoice(early.subscription)).toMatchObject({
      invoiceid: null,
      prompting: { attempt: 0, nextat: addMs(start, hourMs) },
    });
    expect(early.awaited).toEqual([false]);
    expect(simulate({ autorenew: true }).awaited).toEqual([true]);
    expect(simulate().awaited).toEqual([false]);
  });

  it("repeat the claimed prompt after a minute without counting it again", () => {
    const claimed = claimPrompt(fresh(), firstInvoice(fresh()), start, always);
    expect(firstInvoice(claimed).prompting).toMatchObject({ attempt: 1, claimed: start });
    expect(findDuePrompt(claimed, addMs(start, 30_000))).toBeNull();
    const later = addMs(start, minuteMs);
    expect(findDuePrompt(claimed, later)).toBe(firstInvoice(claimed));
    const again = claimPrompt(claimed, firstInvoice(claimed), later, always);
    expect(firstInvoice(again).prompting.attempt).toBe(1);
    expect(again.promptCount).toBe(1);
  });

  it("accept the outcome of the sent transaction only, and give up after 25 hours", () => {
    const claimed = claimPrompt(fresh(), firstInvoice(fresh()), start, always);
    const sent = awaitOutcome(claimed, firstInvoice(claimed), "f".repeat(24), start);
    expect(findDuePrompt(sent, addMs(start, dayMs))).toBeNull();
    expect(findPromptedBy(sent, "f".repeat(24))).toBe(firstInvoice(sent));
    expect(findPromptedBy(sent, "e".repeat(24))).toBeNull();
    const late = addMs(start, 26 * hourMs);
    const given = claimPrompt(sent, firstInvoice(sent), late, always);
    expect(firstInvoice(given).prompting).toMatchObject({ claimed: null, reason: "unresolved" });
  });

  it(`stop after ${promptsMax} attempts in a period`, () => {
    let subscription = fresh();
    let now = start;
    let asked = 0;
    for (;;) {
      const due = findDuePrompt(subscription, now);
      if (!due) break;
      subscription = claimPrompt(subscription, due, now, daytime);
      if (firstInvoice(subscription).prompting.claimed === null) break;
      asked += 1;
      subscription = failPrompt(
        subscription,
        firstInvoice(subscription),
        "insufficient_funds",
        now,
        daytime,
      );
      now = firstInvoice(subscription).prompting.nextat ?? now;
    }
    expect(asked).toBe(promptsMax);
    expect(firstInvoice(subscription).prompting.nextat).toBeNull();
  });

  it("are sent at least once for each of several periods that are billed at once", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.skipTo(48);
    simulation.processDue();
    let { subscription } = simulation;
    const now = day(48);
    const asked: string[] = [];
    for (let due = findDuePrompt(subscription, now); due; due = findDuePrompt(subscription, now)) {
      const claimed = claimPrompt(subscription, due, now, always);
      if (findPromptedBy(claimed, "f".repeat(24))) asked.push(due.of);
      subscription = failPrompt(claimed, due, "insufficient_funds", now, always);
    }
    const missed = simulation.subscription.invoices.filter(isOpen).map(({ of }) => of);
    expect([missed.length, asked]).toEqual([6, missed]);
  });

  it("do not count an attempt that was released because the phone is busy", () => {
    const claimed = claimPrompt(fresh(), firstInvoice(fresh()), start, always);
    const released = releaseClaim(claimed, firstInvoice(claimed), start, always);
    expect(released.promptCount).toBe(0);
    expect(firstInvoice(released).prompting).toMatchObject({ attempt: 0, claimed: null });
    expect(firstInvoice(released).prompting.nextat).not.toBeNull();
  });

  it("continue for the rest after a part was paid", () => {
    const claimed = claimPrompt(fresh(), firstInvoice(fresh()), start, always);
    const paid = succeedPrompt(claimed, firstInvoice(claimed), start, always);
    expect(firstInvoice(paid).prompting).toMatchObject({ attempt: 1, claimed: null });
    expect(findDuePrompt(paid, addMs(start, hourMs))).toBe(firstInvoice(paid));
  });

  it("keep the reason in the history when they end", () => {
    const ended = endPrompts(fresh(), firstInvoice(fresh()), "the customer has no phone", start);
    expect(findDuePrompt(ended, addMs(start, 30 * dayMs))).toBeNull();
    expect(ended.history.at(-1)).toMatchObject({
      what: "not-prompted",
      why: "the customer has no phone",
    });
  });

  it("stop when the subscription is paused or cancelled", () => {
    const paused = { ...fresh(), status: "paused" } as const;
    const cancelled = { ...fresh(), status: "cancelled" } as const;
    expect([findDuePrompt(paused, start), findDuePrompt(cancelled, start)]).toEqual([null, null]);
  });
});
