import type { Cause } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { planCreditUse, previewCredit } from "../domain/credit/allocate-credit.ts";
import { type Credit, creditPaymentKey, usesOn } from "../domain/credit/credit.ts";
import type { Invoice } from "../domain/invoice/invoice.ts";
import { creditIdOf, type CreditHolder } from "../store/credits.ts";
import { applyPayment } from "./apply-payment.ts";

/** Each step spends a whole credit or pays a whole invoice. Later events continue with the rest. */
const stepsMax = 1_000;
const invoicesMax = 50;

type Stores = Pick<Deps, "invoices" | "credits">;

/**
 * Pays a customer's open invoices with the customer's credit, until either of them runs out. The cause
 * must have no operation id: one call can change an invoice several times.
 */
export async function applyCredit(
  stores: Stores,
  holder: CreditHolder,
  cause: Cause,
): Promise<void> {
  const { businessid } = holder;
  for (let step = 0; step < stepsMax; step += 1) {
    const credits = await stores.credits.listUnspent(holder);
    if (credits.length === 0) return;
    const planned = planCreditUse(credits, await listCreditTargets(stores, holder, credits));
    if (!planned) return;
    const invoiceid = planned.invoice.id;
    const { nth, amount } = planned;
    const creditid = planned.credit.id;
    const spent = await stores.credits.spend(
      businessid,
      creditid,
      { invoiceid, nth, amount },
      cause,
    );
    // Another worker may have stored this use with another amount; the stored one counts.
    const use = spent && usesOn(spent, invoiceid).find((each) => each.nth === nth);
    if (!use) continue;
    // The event credit.used pays the invoice too. Paying at once keeps the next step from waiting.
    const key = creditPaymentKey(creditid, invoiceid, nth);
    const payment = { key, amount: use.amount, at: use.at };
    await applyPayment(stores, businessid, invoiceid, payment, cause);
  }
  throw new Error(`credit is not used up after ${stepsMax} steps`);
}

/**
 * One customer's invoices as they are after the customer's credit has paid them. Changes nothing.
 *
 * The invoices are read before the credits. Credit that is used between the two reads can then only
 * make the answer too large, never too small: money beyond what is owed becomes credit, but a prompt
 * for an invoice that looks paid would never be sent.
 */
export async function previewOwed(
  { invoices, credits }: Stores,
  businessid: string,
  found: readonly Invoice[],
  now: Date,
): Promise<readonly Invoice[]> {
  const customerid = found.find(({ owed }) => owed !== null)?.customer.id;
  if (customerid === undefined) return found;
  const holder = { businessid, customerid };
  const unspent = await credits.listUnspent(holder);
  if (unspent.length === 0) return found;
  const targets = await listCreditTargets({ invoices }, holder, unspent);
  const context = { now, creditIdOf };
  const after = previewCredit(await credits.listUnspent(holder), targets, context);
  const byId = new Map(after.map((invoice) => [invoice.id, invoice]));
  return found.map((invoice) => byId.get(invoice.id) ?? invoice);
}

/** The invoices that the credits may pay: the customer's oldest open ones, and the credits' own. */
async function listCreditTargets(
  { invoices }: Pick<Stores, "invoices">,
  { businessid, customerid }: CreditHolder,
  credits: readonly Credit[],
): Promise<readonly Invoice[]> {
  const originids = [...new Set(credits.map(({ invoiceid }) => invoiceid))];
  const [oldest, origins] = await Promise.all([
    invoices.listOwed(businessid, { customerid }, invoicesMax),
    Promise.all(originids.map(async (id) => invoices.find(businessid, id))),
  ]);
  const known = new Set(oldest.map(({ id }) => id));
  const others = origins.filter((each) => each !== null && !known.has(each.id));
  return [...oldest, ...others.flatMap((each) => (each?.owed ? [each] : []))];
}
