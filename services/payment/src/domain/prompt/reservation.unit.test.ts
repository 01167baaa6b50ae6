import { addMs, cents, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { release, reserve, type Reservations, restOf } from "./reservation.ts";

const start = new Date("2026-11-21T09:00:00Z");
const after = (seconds: number) => addMs(start, seconds * secondMs);
const asked = (holder: string, shillings: number) => ({
  holder,
  transactionid: `t-${holder}`,
  amount: cents(shillings * 100),
});
const debt = (shillings: number, ...counted: string[]) => ({
  owed: cents(shillings * 100),
  counted,
});
const done = (holder: string, isPaid: boolean) => ({ holder, id: `t-${holder}`, isPaid });
const underWay = reserve([], asked("a", 400), start);
const leaves = (held: Reservations, owed: ReturnType<typeof debt>, seconds: number) =>
  restOf(owed, held, "b", after(seconds));

describe("an amount that a prompt asks for", () => {
  it("is not asked for by others while the prompt lives", () => {
    expect(leaves(underWay, debt(1_000), 89)).toBe(60_000);
    expect(leaves(underWay, debt(300), 89)).toBe(0);
    expect(leaves(underWay, debt(1_000), 90)).toBeNull();
  });

  it("does not stand in its own way", () => {
    expect(restOf(debt(1_000), underWay, "a", start)).toBeNull();
    expect(reserve(underWay, asked("a", 500), start)).toHaveLength(1);
  });

  it("is free at once when it is not paid", () => {
    expect(release(underWay, done("a", false), after(5))).toEqual([]);
  });

  it("is kept when it is paid, until the money is taken off what is owed, and then not twice", () => {
    const paid = release(underWay, done("a", true), after(5));
    expect(leaves(paid, debt(1_000), 6)).toBe(60_000);
    expect(leaves(paid, debt(600, "t-a"), 6)).toBeNull();
    expect(leaves(paid, debt(1_000), 35)).toBeNull();
  });

  it("is not taken off twice either before the prompt is known to be over", () => {
    expect(leaves(underWay, debt(600, "t-a"), 6)).toBeNull();
  });

  it("is known by the transaction that was made, should another attempt have been faster", () => {
    const paid = release(underWay, { ...done("a", true), id: "t-faster" }, after(5));
    expect(leaves(paid, debt(600, "t-faster"), 6)).toBeNull();
  });
});
