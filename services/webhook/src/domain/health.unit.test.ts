import { addMs, dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { afterFailure, attemptsAtOnce, type Health, healthy, isGivenUp } from "./health.ts";

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
  it("bears four failures in a row, then rests", () => {
    const [four, now] = failing(4, secondMs);
    expect(attemptsAtOnce(four, now, 5)).toBe(5);
    const five = afterFailure(four, { now, random: 0.5 });
    expect(five.restuntil).toEqual(addMs(now, secondMs));
    expect(attemptsAtOnce(five, now, 5)).toBe(0);
    expect(attemptsAtOnce(five, addMs(now, 2 * secondMs), 5)).toBe(1);
  });

  it("rests twice as long each time, and never longer than five minutes", () => {
    let [health, now] = failing(5, 0);
    const rests: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      rests.push(((health.restuntil?.getTime() ?? 0) - now.getTime()) / secondMs);
      now = health.restuntil ?? now;
      health = afterFailure(health, { now, random: 0.5 });
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  });

  it("rests no longer for what was under way when the rest began", () => {
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

  it("is given up after five days of nothing but failure", () => {
    const [almost] = failing(120, hourMs);
    expect(isGivenUp(almost)).toBe(false);
    const [given] = failing(121, hourMs);
    expect(isGivenUp(given)).toBe(true);
    expect(isGivenUp(healthy)).toBe(false);
  });

  it("is not given up for a failure long after another", () => {
    const [old] = failing(1, 0);
    const health = afterFailure(old, { now: addMs(start, 10 * dayMs), random: 0.5 });
    expect(isGivenUp(health)).toBe(false);
    expect(health.failingsince).toEqual(addMs(start, 10 * dayMs));
  });
});
