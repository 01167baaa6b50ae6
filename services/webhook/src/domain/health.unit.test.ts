import { addMs, dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import {
  afterFailure,
  attemptsAtOnce,
  disableReason,
  type Health,
  healthy,
  mustDisable,
  updateHealth,
} from "./health.ts";

const start = new Date("2026-11-21T08:00:00Z");

function failing(count: number, everyMs: number, from: Health = healthy): [Health, Date] {
  let health = from;
  let now = start;
  for (let index = 0; index < count; index += 1) {
    now = addMs(start, index * everyMs);
    health = afterFailure(health, { now, random: 0.5 });
  }
  return [health, now];
}

describe("a receiver's health", () => {
  it("rests after the fifth failure in a row", () => {
    const [four, now] = failing(4, secondMs);
    expect(attemptsAtOnce(four, now, 5)).toBe(5);
    const five = afterFailure(four, { now, random: 0.5 });
    expect(five.restuntil).toEqual(addMs(now, secondMs));
    expect(attemptsAtOnce(five, now, 5)).toBe(0);
    expect(attemptsAtOnce(five, addMs(now, 2 * secondMs), 5)).toBe(1);
  });

  it("doubles each rest, up to five minutes", () => {
    let [health, now] = failing(5, 0);
    const rests: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      rests.push(((health.restuntil?.getTime() ?? 0) - now.getTime()) / secondMs);
      now = health.restuntil ?? now;
      health = afterFailure(health, { now, random: 0.5 });
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  });

  it("does not extend a rest for attempts that were under way when it began", () => {
    const [five, now] = failing(5, 0);
    const later = afterFailure(five, { now, random: 0.5 });
    expect(later).toMatchObject({ failures: 6, rests: 1, restuntil: five.restuntil });
  });

  it("rests as long as the receiver asks, up to an hour", () => {
    const asked = (askedRestMs: number) =>
      afterFailure(healthy, { now: start, askedRestMs, random: 0.5 }).restuntil;
    expect(asked(minuteMs)).toEqual(addMs(start, minuteMs));
    expect(asked(dayMs)).toEqual(addMs(start, hourMs));
    expect(asked(0)).toBeNull();
  });

  it("requires disabling after five days of only failures", () => {
    const [almost] = failing(120, hourMs);
    expect(mustDisable(almost)).toBe(false);
    const [given] = failing(121, hourMs);
    expect(mustDisable(given)).toBe(true);
    expect(mustDisable(healthy)).toBe(false);
  });

  it("starts a new streak for a failure long after another", () => {
    const [old] = failing(1, 0);
    const health = afterFailure(old, { now: addMs(start, 10 * dayMs), random: 0.5 });
    expect(mustDisable(health)).toBe(false);
    expect(health.failingsince).toEqual(addMs(start, 10 * dayMs));
  });

  it("does not change when this service cancelled the attempt", () => {
    const [four] = failing(4, secondMs);
    const interrupted = {
      status: null,
      problem: "x",
      response: null,
      isInterrupted: true,
    } as const;
    expect(updateHealth(four, interrupted, { now: start, random: 0.5 })).toBe(four);
    expect(disableReason(four, interrupted)).toBeUndefined();
  });

  it("is the same object after a success without failures before it", () => {
    const success = { status: 200, problem: null, response: "" };
    const known: Health = { ...healthy };
    expect(updateHealth(known, success, { now: start, random: 0.5 })).toBe(known);
    const [four] = failing(4, secondMs);
    expect(updateHealth(four, success, { now: start, random: 0.5 })).toBe(healthy);
  });

  it.each([
    [429, minuteMs],
    [503, minuteMs],
    [500, null],
  ])("treats Retry-After with status %i as a rest of %o ms", (status, restMs) => {
    const answer = { status, problem: `answered ${status}`, response: "", retryAfterMs: minuteMs };
    const { restuntil } = updateHealth(healthy, answer, { now: start, random: 0.5 });
    expect(restuntil).toEqual(restMs && addMs(start, restMs));
  });

  it("gives the reason for disabling after a 410, and after five days of only failures", () => {
    const gone = { status: 410, problem: "answered 410", response: "" };
    expect(disableReason(healthy, gone)).toBe("Its receiver answered 410 Gone");
    const [given] = failing(121, hourMs);
    const failed = { status: 500, problem: "answered 500", response: "" };
    expect(disableReason(given, failed)).toBe(
      "Nothing but failure for 5 days; at last: answered 500",
    );
    expect(disableReason(healthy, failed)).toBeUndefined();
  });
});
