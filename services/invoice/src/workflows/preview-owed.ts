import type { Deps } from "../deps.ts";
import { previewCredit } from "../domain/credit/allocate-credit.ts";
import type { Invoice } from "../domain/invoice/invoice.ts";
import { creditIdOf } from "../store/credits.ts";
import { listCreditTargets } from "./apply-credit.ts";

/**
 * One customer's invoices as they are after the customer's credit has paid them. Changes nothing.
 *
 * The invoices are read before the credits. Credit that is used between the two reads can then only
 * make the answer too large, never too small: money beyond what is owed becomes credit, but a prompt
 * for an invoice that looks paid would never be sent.
 */
export async function previewOwed(
  { invoices, credits }: Pick<Deps, "invoices" | "credits">,
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
