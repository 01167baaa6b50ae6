import { addMs, dayMs, hourMs, minuteMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dawn, day, story } from "../../../test/story.ts";
import {
  awaitOutcome,
  claimPrompt,
  duePrompt,
  endPrompts,
  failPrompt,
  nextAttemptAt,
  promptedBy,
  promptsMax,
  succeedPrompt,
  waitTurn,
} from "./prompt-schedule.ts";
import { hearInvoices } from "../../workflows/apply-invoice-updates.ts";
import { isOpen, notPrompted, type OpenInvoice } from "../lifecycle/open-invoices.ts";
import { withinHours } from "./prompt-hours.ts";
import { scheduled } from "../lifecycle/schedule.ts";
import type { Subscription } from "../lifecycle/subscription.ts";

const usual = { from: 8, to: 20 };
const always = { from: 0, to: 24 };

describe("prompt hours", () => {
  it.each([
    ["2026-01-01T04:59:59Z", "2026-01-01T05:00:00.000Z"],
    ["2026-01-01T05:00:00Z", "2026-01-01T05:00:00.000Z"],
    ["2026-01-01T16:59:59Z", "2026-01-01T16:59:59.000Z"],
    ["2026-01-01T17:00:00Z", "2026-01-02T05:00:00.000Z"],
    ["2025-12-31T21:30:00Z", "2026-01-01T05:00:00.000Z"],
  ])("%s becomes %s", (moment, rings) => {
    expect(withinHours(new Date(moment), usual).toISOString()).toBe(rings);
  });

  it("never wait a whole day, and never ring outside of them", () => {
    const moments = fc.date({
      min: new Date("2020-01-01"),
      max: new Date("2040-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        const rings = withinHours(moment, usual);
        expect(rings.getTime() - moment.getTime()).toBeGreaterThanOrEqual(0);
        expect(rings.getTime() - moment.getTime()).toBeLessThan(dayMs);
        const hour = (rings.getUTCHours() + 3) % 24;
        expect(hour >= usual.from && hour < usual.to).toBe(true);
      }),
    );
  });
});

describe("the next prompt", () => {
  it.each([
    ["insufficient_funds", 2 * dayMs],
    ["cancelled_by_payer", dayMs],
    ["wrong_pin", dayMs],
    ["unreachable", 3 * hourMs],
    ["something new", dayMs],
  ])("after %s comes later", (reason, pause) => {
    expect(nextAttemptAt(reason, dawn, always)).toEqual(addMs(dawn, pause));
  });
});

function fresh(): Subscription {
  return story({ autorenew: true }).subscription;
}

function the(subscription: Subscription): OpenInvoice {
  const [invoice] = subscription.invoices;
  if (!invoice) throw new Error("it was billed");
  return invoice;
}

describe("dunning", () => {
  it("asks at once when the invoice is known, and never without autorenew", () => {
    expect(the(fresh()).prompting).toMatchObject({ attempt: 0, nextat: dawn });
    expect(duePrompt(fresh(), dawn)).not.toBeNull();
    expect(duePrompt(story().subscription, dawn)).toBeNull();
  });

  it("asks when it hears of an invoice that it knew already by asking what is owed", () => {
    const known = { ...the(fresh()), prompting: notPrompted };
    const asked = { ...fresh(), invoices: [known] };
    const { why, of, state, duedate } = known;
    const news = [{ why, of, state, duedate, invoiceid: "f".repeat(24), seq: 2, at: dawn }];
    const heard = hearInvoices(asked, news, dawn, { now: dawn, hours: always });
    expect(heard && duePrompt(heard.entity, dawn)).not.toBeNull();
  });

  it("asks for nothing else until an outcome is known, and is not due before that", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.sleepUntil(15);
    life.workOff();
    const now = day(15);
    const [, first, second] = life.subscription.invoices;
    if (!first || !second) throw new Error("two weeks were missed");
    expect(duePrompt(life.subscription, now)).toBe(first);
    const claimed = claimPrompt(life.subscription, first, now, always);
    const ringing = awaitOutcome(claimed, first, "e".repeat(24), now);
    expect(duePrompt(ringing, now)).toBeNull();
    expect(scheduled(ringing, now).dueat).toEqual(addMs(now, 25 * hourMs));
    const failed = failPrompt(ringing, first, "unreachable", now, always);
    expect(scheduled(failed, now).dueat).toEqual(now);
    expect(duePrompt(failed, now)).toMatchObject({ of: second.of });
  });

  it("asks when phones may ring, which is known before the invoice is", () => {
    const early = story({ autorenew: true, hours: { from: 10, to: 20 } });
    expect(the(early.subscription)).toMatchObject({
      invoiceid: null,
      prompting: { attempt: 0, nextat: addMs(dawn, hourMs) },
    });
    expect(early.awaited).toEqual([false]);
    expect(story({ autorenew: true }).awaited).toEqual([true]);
    expect(story().awaited).toEqual([false]);
  });

  it("asks for one prompt at a time, and for the same one again while nothing is known", () => {
    const claimed = claimPrompt(fresh(), the(fresh()), dawn, always);
    expect(the(claimed).prompting).toMatchObject({ attempt: 1, claimed: dawn });
    expect(duePrompt(claimed, addMs(dawn, 30_000))).toBeNull();
    const later = addMs(dawn, minuteMs);
    expect(duePrompt(claimed, later)).toBe(the(claimed));
    const again = claimPrompt(claimed, the(claimed), later, always);
    expect(the(again).prompting.attempt).toBe(1);
    expect(again.prompts).toBe(1);
  });

  it("waits for the outcome of a prompt as long as payment may take", () => {
    const claimed = claimPrompt(fresh(), the(fresh()), dawn, always);
    const ringing = awaitOutcome(claimed, the(claimed), "f".repeat(24), dawn);
    expect(duePrompt(ringing, addMs(dawn, dayMs))).toBeNull();
    expect(promptedBy(ringing, "f".repeat(24))).toBe(the(ringing));
    expect(promptedBy(ringing, "e".repeat(24))).toBeNull();
    const late = addMs(dawn, 26 * hourMs);
    const given = claimPrompt(ringing, the(ringing), late, always);
    expect(the(given).prompting).toMatchObject({ claimed: null, reason: "unresolved" });
  });

  it(`asks ${promptsMax} times in a period, and no more`, () => {
    let subscription = fresh();
    let now = dawn;
    let asked = 0;
    for (;;) {
      const due = duePrompt(subscription, now);
      if (!due) break;
      subscription = claimPrompt(subscription, due, now, usual);
      if (the(subscription).prompting.claimed === null) break;
      asked += 1;
      subscription = failPrompt(subscription, the(subscription), "insufficient_funds", now, usual);
      now = the(subscription).prompting.nextat ?? now;
    }
    expect(asked).toBe(promptsMax);
    expect(the(subscription).prompting.nextat).toBeNull();
  });

  it("asks for every period that was missed once, though they are billed in one", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.sleepUntil(48);
    life.workOff();
    let { subscription } = life;
    const now = day(48);
    const asked: string[] = [];
    for (let due = duePrompt(subscription, now); due; due = duePrompt(subscription, now)) {
      const claimed = claimPrompt(subscription, due, now, always);
      if (promptedBy(claimed, "f".repeat(24))) asked.push(due.of);
      subscription = failPrompt(claimed, due, "insufficient_funds", now, always);
    }
    const missed = life.subscription.invoices.filter(isOpen).map(({ of }) => of);
    expect([missed.length, asked]).toEqual([6, missed]);
  });

  it("counts a prompt once that has to wait its turn", () => {
    const claimed = claimPrompt(fresh(), the(fresh()), dawn, always);
    const waiting = waitTurn(claimed, the(claimed), dawn, always);
    expect(waiting.prompts).toBe(0);
    expect(the(waiting).prompting).toMatchObject({ attempt: 0, claimed: null });
    expect(the(waiting).prompting.nextat).not.toBeNull();
  });

  it("asks for the rest when a part was paid", () => {
    const claimed = claimPrompt(fresh(), the(fresh()), dawn, always);
    const paid = succeedPrompt(claimed, the(claimed), dawn, always);
    expect(the(paid).prompting).toMatchObject({ attempt: 1, claimed: null });
    expect(duePrompt(paid, addMs(dawn, hourMs))).toBe(the(paid));
  });

  it("says why nobody is asked", () => {
    const ended = endPrompts(fresh(), the(fresh()), "the customer has no phone", dawn);
    expect(duePrompt(ended, addMs(dawn, 30 * dayMs))).toBeNull();
    expect(ended.history.at(-1)).toMatchObject({
      what: "not-prompted",
      why: "the customer has no phone",
    });
  });

  it("stops with a pause and with the end", () => {
    const paused = { ...fresh(), status: "paused" } as const;
    const cancelled = { ...fresh(), status: "cancelled" } as const;
    expect([duePrompt(paused, dawn), duePrompt(cancelled, dawn)]).toEqual([null, null]);
  });
});
