import { addMs, type Cents, cents, secondMs, sumCents } from "@malipo/core";
import { waits } from "./schedule.ts";

/** Until what is paid has arrived where it is owed. */
const arrivalMs = 3 * secondMs;

/** An amount that a prompt asks for now, of what is owed. */
interface Reservation {
  readonly holder: string;
  readonly amount: Cents;
  readonly until: Date;
}

export type Reservations = readonly Reservation[];

/** Those that still hold, without the holder's own. */
function othersOf(held: Reservations, holder: string, now: Date): Reservations {
  return held.filter((each) => each.holder !== holder && each.until > now);
}

/** What others have left of what is owed; null while nobody else asks for any of it. */
export function restOf(owed: Cents, held: Reservations, holder: string, now: Date): Cents | null {
  const others = othersOf(held, holder, now);
  if (others.length === 0) return null;
  return cents(Math.max(0, owed - sumCents(others.map(({ amount }) => amount))));
}

export function reserve(
  held: Reservations,
  holder: string,
  amount: Cents,
  now: Date,
): Reservations {
  return [...othersOf(held, holder, now), { holder, amount, until: addMs(now, waits.promptMs) }];
}

/** A payment that came is still on its way to what it pays; any other end frees the amount at once. */
export function release(
  held: Reservations,
  holder: string,
  wasPaid: boolean,
  now: Date,
): Reservations {
  return held.flatMap((each) => {
    if (each.holder !== holder) return [each];
    return wasPaid ? [{ ...each, until: addMs(now, arrivalMs) }] : [];
  });
}
