import { err, type Fault, maskPhone, notFound, ok, type Result } from "@malipo/core";
import type { Deps } from "../../deps.ts";
import type { ReceiptContent } from "./receipt-content.ts";

interface FoundReceipt {
  readonly businessid: string;
  readonly content: ReceiptContent;
}

/** Finds what the receipt with this code shows. */
export async function findReceipt(
  { codes, receipts, transactions, businesses }: Deps,
  code: string,
): Promise<Result<FoundReceipt, Fault>> {
  const target = await codes.find(code);
  const receipt = target && (await receipts.find(target.businessid, target.recordid))?.entity;
  if (!receipt || receipt.code !== code) return err(notFound("receipt"));
  const [transaction, business] = await Promise.all([
    transactions.find(receipt.businessid, receipt.id),
    businesses.get(receipt.businessid),
  ]);
  if (!business.ok) return business;
  const paid = transaction?.entity;
  const { receiptno, amount, phone, momoreceiptnumber, createdat } = receipt;
  const content = {
    business: business.value.settings.displayname,
    receiptno,
    amount,
    phone: maskPhone(phone),
    momoreceiptnumber,
    paidat: createdat,
    title: paid?.title ?? receiptno,
    invoiceno: paid?.invoiceno ?? null,
    customer: paid?.customername ?? null,
    referenceid: paid?.referenceid ?? null,
    code,
  };
  return ok({ businessid: receipt.businessid, content });
}
