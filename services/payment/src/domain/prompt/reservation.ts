import { addMs, type Cents, cents, secondMs, sumCents } from "@malipo/core";
import { waits } from "../transaction/schedule.ts";

/** Until what was paid has arrived where it is owed, or nobody waits for it any more. */
const arrivalMs = 30 * secondMs;

/** What is owed, and the transactions that have been taken off already. */
export interface Debt {
  readonly owed: Cents;
  readonly counted: readonly string[];
}

/** An amount that a prompt asks for now, of what is owed. */
interface Reservation {
  readonly holder: string;
  readonly transactionid: string;
  readonly amount: Cents;
  readonly until: Date;
}

export type Reservations = readonly Reservation[];
export type Wanted = Pick<Reservation, "holder" | "transactionid" | "amount">;

/** Those that still hold, without the holder's own. */
function othersOf(held: Reservations, holder: string, now: Date): Reservations {
  return held.filter((each) => each.holder !== holder && each.until > now);
}

/** What others have left of what is owed; null while nobody else asks for any of it. */
export function restOf(
  { owed, counted }: Debt,
  held: Reservations,
  holder: string,
  now: Date,
): Cents | null {
  // What has been taken off already must not be taken off twice.
  const others = othersOf(held, holder, now).filter(
    ({ transactionid }) => !counted.includes(transactionid),
  );
  if (others.length === 0) return null;
  return cents(Math.max(0, owed - sumCents(others.map(({ amount }) => amount))));
}

export function reserve(held: Reservations, wanted: Wanted, now: Date): Reservations {
  const others = othersOf(held, wanted.holder, now);
  return [...others, { ...wanted, until: addMs(now, waits.promptMs) }];
}

/** A payment that came is still on its way to what it pays; any other end frees the amount at once. */
export function release(
  held: Reservations,
  { holder, id, isPaid }: Released,
  now: Date,
): Reservations {
  return held.flatMap((each) => {
    if (each.holder !== holder) return [each];
    return isPaid ? [{ ...each, transactionid: id, until: addMs(now, arrivalMs) }] : [];
  });
}

export interface Released {
  readonly holder: string;
  readonly id: string;
  readonly isPaid: boolean;
}
