import type { NewEvent } from "@malipo/contracts";
import { type Cents, cents, sumCents } from "@malipo/core";
import type { DecisionContext } from "../invoice/invoice.ts";

/** The limit of uses in one document. What is left after the last use moves to a new credit. */
export const usesMax = 200;

/** A part of a credit that pays an invoice. */
export interface CreditUse {
  readonly invoiceid: string;
  /** 1 for the first use of this credit on this invoice, 2 for the second, and so on. */
  readonly nth: number;
  readonly amount: Cents;
  readonly at: Date;
}

interface CreditState {
  /** The id of the transaction that brought the money, or an id derived from a payment's key. */
  readonly id: string;
  readonly businessid: string;
  readonly customerid: string;
  /** The invoice that the money was paid for. The credit pays it first if it is open again. */
  readonly invoiceid: string;
  readonly granted: Cents;
  readonly uses: readonly CreditUse[];
  /** The amount that moved to a new credit. */
  readonly carried: Cents;
  readonly createdat: Date;
  readonly updatedat: Date;
}

/** Money of a customer that pays no invoice yet. */
export interface Credit extends CreditState {
  readonly unspent: Cents;
}

/** A credit after a decision, and the events that the decision caused. */
interface CreditChange {
  readonly entity: Credit;
  readonly events: readonly NewEvent[];
}

/** The unspent amount is always derived, so that no event has to count anything up. */
function deriveCredit(state: CreditState): Credit {
  const spent = sumCents(state.uses.map(({ amount }) => amount)) + state.carried;
  return { ...state, unspent: cents(state.granted - spent) };
}

export function newCredit(
  id: string,
  origin: Pick<Credit, "businessid" | "customerid" | "invoiceid">,
  granted: Cents,
  now: Date,
): Credit {
  const unused = { uses: [], carried: cents(0) };
  return deriveCredit({ id, ...origin, ...unused, granted, createdat: now, updatedat: now });
}

/** Raises a credit to this total. Null for a smaller or equal total: the event is old or repeated. */
export function grantCredit(credit: Credit, granted: Cents, now: Date): CreditChange | null {
  if (granted <= credit.granted) return null;
  return { entity: deriveCredit({ ...credit, granted, updatedat: now }), events: [] };
}

/**
 * Spends a part of a credit on an invoice. The event pays the invoice. Null if the credit has changed
 * since the use was planned, so that the use does not fit any more.
 */
export function useCredit(
  credit: Credit,
  { invoiceid, nth, amount }: Omit<CreditUse, "at">,
  context: DecisionContext,
): CreditChange | null {
  if (nth !== usesOn(credit, invoiceid).length + 1 || amount > credit.unspent) return null;
  const used = addUse(credit, { invoiceid, nth, amount, at: context.now });
  const key = creditPaymentKey(credit.id, invoiceid, nth);
  const { customerid } = credit;
  const event: NewEvent = {
    type: "credit.used",
    data: { customerid, invoiceid, key, cents: amount },
  };
  return carryRest(used, event, context);
}

export function addUse(credit: Credit, use: CreditUse): Credit {
  return deriveCredit({ ...credit, uses: [...credit.uses, use], updatedat: use.at });
}

/** Moves what is left after the last use to a new credit, because a document must be bounded. */
function carryRest(
  credit: Credit,
  usedEvent: NewEvent,
  { creditIdOf }: DecisionContext,
): CreditChange {
  const { unspent, uses, invoiceid, customerid } = credit;
  if (unspent === 0 || uses.length < usesMax) return { entity: credit, events: [usedEvent] };
  const creditid = creditIdOf(creditPaymentKey(credit.id, "carried", uses.length));
  return {
    entity: deriveCredit({ ...credit, carried: cents(credit.carried + unspent) }),
    events: [
      usedEvent,
      {
        type: "credit.granted",
        data: { invoiceid, customerid, grants: [{ creditid, cents: unspent }] },
      },
    ],
  };
}

export function usesOn({ uses }: Credit, invoiceid: string): readonly CreditUse[] {
  return uses.filter((use) => use.invoiceid === invoiceid);
}

/** The key under which an invoice holds a use of credit. Only repeated uses carry a number. */
export function creditPaymentKey(creditid: string, invoiceid: string, nth: number): string {
  return `credit:${creditid}:${invoiceid}${nth === 1 ? "" : `:${nth}`}`;
}
