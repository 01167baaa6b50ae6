import { createHash } from "node:crypto";
import { parseId } from "@malipo/core";

/** A transaction's surplus is the credit of its own id; that of credit which came back has one made of its key. */
export function creditIdOf(paymentKey: string): string {
  return parseId(paymentKey) ?? createHash("sha256").update(paymentKey).digest("hex").slice(0, 24);
}

/** The key under which credit pays an invoice; more than once only after it was used up there before. */
export function creditPaymentKey(creditid: string, invoiceid: string, nth: number): string {
  return `credit:${creditid}:${invoiceid}${nth === 1 ? "" : `:${nth}`}`;
}
