import { addMs, cents, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { release, reserve, type DebtReservations, unreservedAmount } from "./reservation.ts";

const start = new Date("2026-11-21T09:00:00Z");
const after = (seconds: number) => addMs(start, seconds * secondMs);
const prompt = (holder: string, shillings: number) => ({
  holder,
  transactionid: `t-${holder}`,
  amount: cents(shillings * 100),
});
const debt = (shillings: number, ...counted: string[]) => ({
  owed: cents(shillings * 100),
  counted,
});
const done = (holder: string, isPaid: boolean) => ({ holder, id: `t-${holder}`, isPaid });
const reserved = reserve([], prompt("a", 400), start);
const leaves = (held: DebtReservations, owed: ReturnType<typeof debt>, seconds: number) =>
  unreservedAmount(owed, held, "b", after(seconds));

describe("the reservation of a prompt's amount", () => {
  it("reduces what other prompts may ask for, for 90 seconds", () => {
    expect(leaves(reserved, debt(1_000), 89)).toBe(60_000);
    expect(leaves(reserved, debt(300), 89)).toBe(0);
    expect(leaves(reserved, debt(1_000), 90)).toBeNull();
  });

  it("does not limit its own holder", () => {
    expect(unreservedAmount(debt(1_000), reserved, "a", start)).toBeNull();
    expect(reserve(reserved, prompt("a", 500), start)).toHaveLength(1);
  });

  it("is released at once when the prompt is not paid", () => {
    expect(release(reserved, done("a", false), after(5))).toEqual([]);
  });

  it("stays after a payment until the debt counts it, and is not subtracted twice", () => {
    const paid = release(reserved, done("a", true), after(5));
    expect(leaves(paid, debt(1_000), 6)).toBe(60_000);
    expect(leaves(paid, debt(600, "t-a"), 6)).toBeNull();
    expect(leaves(paid, debt(1_000), 35)).toBeNull();
  });

  it("is not subtracted twice when the debt counts the payment before its prompt has ended", () => {
    expect(leaves(reserved, debt(600, "t-a"), 6)).toBeNull();
  });

  it("is renamed to the transaction of a faster attempt of the same operation", () => {
    const paid = release(reserved, { ...done("a", true), id: "t-faster" }, after(5));
    expect(leaves(paid, debt(600, "t-faster"), 6)).toBeNull();
  });
});
