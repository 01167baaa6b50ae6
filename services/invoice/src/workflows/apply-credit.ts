import { cents } from "@malipo/core";
import type { Cause } from "@malipo/platform";
import { creditIdOf, creditPaymentKey } from "../domain/credit/credit-key.ts";
import { nextUse, useCredit, usesOn } from "../domain/credit/credit.ts";
import type { CreditHolder } from "../store/credits.ts";
import type { Deps } from "../deps.ts";
import type { Invoice } from "../domain/invoice/invoice.ts";
import { isOwed, oldestFirst } from "../store/invoices.ts";
import { type Payment, payInvoice } from "../domain/invoice/pay-invoice.ts";

/** Each step empties a credit or pays an invoice; who has more than this gets on with it later. */
const stepsMax = 1_000;
const invoicesMax = 50;

type Money = Pick<Deps, "invoices" | "credits">;

/** Puts a payment on its invoice, exactly once. False when there is no such invoice. */
export async function receivePayment(
  money: Money,
  businessid: string,
  invoiceid: string,
  payment: Payment,
  cause: Cause,
): Promise<boolean> {
  let isNew = false;
  const invoice = await money.invoices.amend(businessid, invoiceid, cause, (invoice) => {
    const change = payInvoice(invoice, payment, cause.now);
    isNew = change !== null;
    return change;
  });
  if (!invoice) return false;
  const held = invoice.payments.find(({ key }) => key === payment.key);
  // After a crash the event of the write sees to it; what the invoice cannot hold is credit as a whole.
  const surplus = cents(payment.amount - (held?.applied ?? 0));
  if (surplus > 0 && (isNew || !held)) {
    const holder = { businessid, customerid: invoice.customer.id };
    const grant = { creditid: creditIdOf(payment.key), granted: surplus };
    await money.credits.grant({ ...holder, invoiceid }, grant, cause);
    await settleCredit(money, holder, cause);
  }
  return true;
}

/** Pays what a customer owes with the credit the customer has, until one of them is used up. */
export async function settleCredit(
  money: Money,
  holder: CreditHolder,
  cause: Cause,
): Promise<void> {
  const { businessid } = holder;
  for (let step = 0; step < stepsMax; step += 1) {
    const unspent = await money.credits.unspentOf(holder);
    if (unspent.length === 0) return;
    const origins = unspent.map(({ invoiceid }) => invoiceid);
    const next = nextUse(unspent, await owedBy(money, holder, origins));
    if (!next) return;
    const invoiceid = next.invoice.id;
    const credit = await money.credits.amend(businessid, next.credit.id, cause, (known) =>
      useCredit(known, { invoiceid, nth: next.nth, amount: next.amount }, cause.now),
    );
    // The event would do it too; at once it is done before anybody is asked for the money.
    const use = credit && usesOn(credit, invoiceid).find(({ nth }) => nth === next.nth);
    if (!use) continue;
    const key = creditPaymentKey(next.credit.id, invoiceid, use.nth);
    await receivePayment(
      money,
      businessid,
      invoiceid,
      { key, amount: use.amount, at: use.at },
      cause,
    );
  }
  throw new Error(`credit is not settled after ${stepsMax} steps`);
}

/** The oldest open invoices of a customer, and those of the named ones that are open. */
async function owedBy(
  { invoices }: Money,
  { businessid, customerid }: CreditHolder,
  named: readonly string[],
): Promise<readonly Invoice[]> {
  const [oldest, origins] = await Promise.all([
    invoices.some(
      businessid,
      { "customer.id": customerid, ...isOwed },
      { sort: oldestFirst, limit: invoicesMax },
    ),
    Promise.all([...new Set(named)].map(async (id) => invoices.find(businessid, id))),
  ]);
  const known = new Set(oldest.map(({ id }) => id));
  const more = origins.flatMap((found) =>
    found && !known.has(found.entity.id) ? [found.entity] : [],
  );
  return [...oldest, ...more.filter(({ owed }) => owed !== null)];
}
