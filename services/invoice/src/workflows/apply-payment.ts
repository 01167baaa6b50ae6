import { cents, ok } from "@malipo/core";
import type { Cause } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { type Payment, payInvoice } from "../domain/invoice/pay-invoice.ts";
import { creditIdOf, type CreditHolder } from "../store/credits.ts";

interface AppliedPayment {
  /** The customer whose credit has grown by the surplus; null if there is none. */
  readonly creditedTo: CreditHolder | null;
}

/**
 * Puts a payment on its invoice, exactly once, and grants its surplus as credit. The caller applies
 * that credit. Null if there is no such invoice.
 */
export async function applyPayment(
  { invoices, credits }: Pick<Deps, "invoices" | "credits">,
  businessid: string,
  invoiceid: string,
  payment: Payment,
  cause: Cause,
): Promise<AppliedPayment | null> {
  const context = { now: cause.now, creditIdOf };
  const updated = await invoices.update(businessid, invoiceid, cause, (invoice) =>
    ok(payInvoice(invoice, payment, context)),
  );
  if (!updated) return null;
  const { invoice, isChanged } = updated;
  const held = invoice.payments.find(({ key }) => key === payment.key);
  const surplus = cents(payment.amount - (held?.applied ?? 0));
  // If the process ends here, the event credit.granted of the write above does the same. A full
  // invoice does not hold the payment and has no event, so each delivery grants the whole amount.
  if (surplus <= 0 || (held && !isChanged)) return { creditedTo: null };
  const holder = { businessid, customerid: invoice.customer.id };
  const grant = { creditid: creditIdOf(payment.key), granted: surplus };
  await credits.grant({ ...holder, invoiceid }, grant, cause);
  return { creditedTo: holder };
}
