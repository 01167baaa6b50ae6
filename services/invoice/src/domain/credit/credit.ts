import type { NewEvent } from "@malipo/contracts";
import { type Cents, cents, sumCents } from "@malipo/core";
import { creditIdOf, creditPaymentKey } from "./credit-key.ts";
import type { Invoice } from "../invoice/invoice.ts";
import { holdsPayment, isFull } from "../invoice/pay-invoice.ts";

/** What is left after so many uses goes on as a credit of its own. */
export const usesMax = 200;

/** Some of a credit for an invoice; the nth time that this credit pays that invoice. */
export interface CreditUse {
  readonly invoiceid: string;
  readonly nth: number;
  readonly amount: Cents;
  readonly at: Date;
}

/** Money of a customer that stands on no invoice. Its id is the transaction that brought it. */
export interface Credit {
  readonly id: string;
  readonly businessid: string;
  readonly customerid: string;
  /** The invoice that the money was meant for: to it the credit goes first, should it be open again. */
  readonly invoiceid: string;
  readonly granted: Cents;
  readonly uses: readonly CreditUse[];
  /** What went on as a credit of its own. */
  readonly carried: Cents;
  readonly unspent: Cents;
  readonly createdat: Date;
  readonly updatedat: Date;
}

interface CreditChange {
  readonly entity: Credit;
  readonly events: readonly NewEvent[];
}

type CreditState = Omit<Credit, "unspent">;

function reckon(state: CreditState): Credit {
  const spent = sumCents(state.uses.map(({ amount }) => amount)) + state.carried;
  return { ...state, unspent: cents(state.granted - spent) };
}

export function newCredit(
  id: string,
  origin: Pick<Credit, "businessid" | "customerid" | "invoiceid">,
  granted: Cents,
  now: Date,
): Credit {
  const none = { uses: [], carried: cents(0) };
  return reckon({ id, ...origin, ...none, granted, createdat: now, updatedat: now });
}

/** In all, so that hearing of it again, or of an older amount, changes nothing. */
export function grantCredit(credit: Credit, granted: Cents, now: Date): CreditChange | null {
  if (granted <= credit.granted) return null;
  return { entity: reckon({ ...credit, granted, updatedat: now }), events: [] };
}

/** Names the invoice, whose payment follows from the event. Null when it does not fit any more. */
export function useCredit(
  credit: Credit,
  { invoiceid, nth, amount }: Omit<CreditUse, "at">,
  now: Date,
): CreditChange | null {
  if (nth !== usesOn(credit, invoiceid).length + 1 || amount > credit.unspent) return null;
  const use = { invoiceid, nth, amount, at: now };
  const used = reckon({ ...credit, uses: [...credit.uses, use], updatedat: now });
  const { customerid } = credit;
  const key = creditPaymentKey(credit.id, invoiceid, nth);
  return carryOn(used, {
    type: "credit.used",
    data: { customerid, invoiceid, key, cents: amount },
  });
}

/** A document is bounded: what is left after its last use is granted to the next. */
function carryOn(credit: Credit, used: NewEvent): CreditChange {
  const { unspent, uses, invoiceid, customerid } = credit;
  if (unspent === 0 || uses.length < usesMax) return { entity: credit, events: [used] };
  const creditid = creditIdOf(creditPaymentKey(credit.id, "carried", uses.length));
  return {
    entity: reckon({ ...credit, carried: cents(credit.carried + unspent) }),
    events: [
      used,
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

export interface NextUse {
  readonly credit: Credit;
  readonly invoice: Invoice;
  readonly nth: number;
  readonly amount: Cents;
}

/**
 * What is to be paid next with unspent credit: the invoice that the money was meant for, or the
 * oldest. Both lists have the oldest first. Null when nothing fits.
 */
export function nextUse(credits: readonly Credit[], invoices: readonly Invoice[]): NextUse | null {
  for (const credit of credits) {
    if (credit.unspent === 0) continue;
    const origin = invoices.filter(({ id }) => id === credit.invoiceid);
    const invoice = [...origin, ...invoices].find((each) => takes(each, credit));
    if (!invoice?.owed) continue;
    const nth = usesOn(credit, invoice.id).length + 1;
    return { credit, invoice, nth, amount: cents(Math.min(credit.unspent, invoice.owed)) };
  }
  return null;
}

/** While a use is on its way to the invoice, what the invoice says it owes is too much. */
function takes(invoice: Invoice, credit: Credit): boolean {
  return (
    invoice.owed !== null &&
    !isFull(invoice) &&
    usesOn(credit, invoice.id).every(({ nth }) =>
      holdsPayment(invoice, creditPaymentKey(credit.id, invoice.id, nth)),
    )
  );
}
