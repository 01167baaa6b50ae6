import { assert } from "./assert.ts";
import { err, ok, type Result } from "./result.ts";

/** Kenyan money inside the system: a safe integer of cents. Shillings exist only in requests, responses and events. */
export type Cents = number & { readonly unit: "cents" };

export type MoneyProblem = "not a number" | "more than two decimals" | "too large";

/** One trillion shillings. Up to this limit, different amounts of two decimals are different doubles. */
export const maxShillings = 1_000_000_000_000;

export function cents(amount: number): Cents {
  assert(Number.isSafeInteger(amount), `cents are safe integers, not ${amount}`);
  return amount as Cents;
}

/** For input from outside: any number is possible. */
export function parseShillings(shillings: number): Result<Cents, MoneyProblem> {
  if (!Number.isFinite(shillings)) return err("not a number");
  if (Math.abs(shillings) > maxShillings) return err("too large");
  const amount = exactCents(shillings);
  return amount === null ? err("more than two decimals") : ok(amount);
}

/** For amounts that our own services wrote. A sum may be above `maxShillings`. */
export function shillingsToCents(shillings: number): Cents {
  const amount = exactCents(shillings);
  assert(amount !== null, `shillings have at most two decimals, not ${shillings}`);
  return amount;
}

/** The largest amount that is accepted from outside. */
export const maxCents = shillingsToCents(maxShillings);

/** Null when the number has more than two decimals. */
function exactCents(shillings: number): Cents | null {
  const rounded = Math.round(shillings * 100);
  // Division rounds to the nearest double, as parsing a JSON literal does. Equal means that both
  // are the same decimal.
  if (rounded / 100 !== shillings) return null;
  return cents(rounded === 0 ? 0 : rounded);
}

export function centsToShillings(amount: Cents): number {
  return cents(amount) / 100;
}

export function sumCents(amounts: Iterable<Cents>): Cents {
  let total = 0;
  for (const amount of amounts) total = cents(total + amount);
  return cents(total);
}

export function multiplyCents(amount: Cents, quantity: number): Cents {
  assert(Number.isSafeInteger(quantity), `a quantity is a whole number, not ${quantity}`);
  const product = amount * quantity;
  return cents(product === 0 ? 0 : product);
}
