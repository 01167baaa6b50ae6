import { addMs, type Cents, cents, secondMs, sumCents } from "@malipo/core";
import { timeouts } from "../transaction/schedule.ts";

/** A completed payment stays reserved this long, until the invoice service has counted it. */
const arrivalMs = 30 * secondMs;

/** An owed amount, and the transactions that are already taken off it. */
export interface Debt {
  readonly owed: Cents;
  readonly counted: readonly string[];
}

/** The debt of a link that takes one payment: while one prompt is under way, nothing is left. */
export const singlePayment: Debt = { owed: cents(0), counted: [] };

/** The part of a debt that one prompt asks for. */
interface Reservation {
  readonly holder: string;
  readonly transactionid: string;
  readonly amount: Cents;
  readonly until: Date;
}

/** All reservations of one debt. */
export type DebtReservations = readonly Reservation[];
export type NewReservation = Pick<Reservation, "holder" | "transactionid" | "amount">;

/** The outcome of the prompt that a reservation was made for. */
export interface EndedPrompt {
  readonly holder: string;
  /** The transaction. If another attempt inserted it first, the reservation names the wrong one. */
  readonly id: string;
  readonly isPaid: boolean;
}

function activeOthers(held: DebtReservations, holder: string, now: Date): DebtReservations {
  return held.filter((each) => each.holder !== holder && each.until > now);
}

/** The part of a debt that other prompts leave; null when no other prompt is under way. */
export function unreservedAmount(
  { owed, counted }: Debt,
  held: DebtReservations,
  holder: string,
  now: Date,
): Cents | null {
  // A counted payment is already taken off `owed`, so its reservation must not reduce it again.
  const others = activeOthers(held, holder, now).filter(
    ({ transactionid }) => !counted.includes(transactionid),
  );
  if (others.length === 0) return null;
  return cents(Math.max(0, owed - sumCents(others.map(({ amount }) => amount))));
}

/** Adds a reservation, in place of an earlier one of the same holder. */
export function reserve(
  held: DebtReservations,
  added: NewReservation,
  now: Date,
): DebtReservations {
  const others = activeOthers(held, added.holder, now);
  return [...others, { ...added, until: addMs(now, timeouts.promptMs) }];
}

/** Ends a holder's reservation: after a payment when the invoice has counted it, else at once. */
export function release(
  held: DebtReservations,
  { holder, id, isPaid }: EndedPrompt,
  now: Date,
): DebtReservations {
  return held.flatMap((each) => {
    if (each.holder !== holder) return [each];
    return isPaid ? [{ ...each, transactionid: id, until: addMs(now, arrivalMs) }] : [];
  });
}
