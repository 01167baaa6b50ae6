import { cents } from "@malipo/core";
import type { Document } from "mongodb";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

/** Fields that are stored under another name than the code uses. */
interface StoredNames {
  billingAnchor: "rhythm";
  expiringSince: "expiring";
  expiryRetryAt: "expirefrom";
  mustWithdrawOffers: "withdrawing";
  manualInvoice: "byhand";
  promptCount: "prompts";
  failedAttempts: "tries";
  heldBackSince: "heldback";
}

/**
 * A subscription with the field names of the collection. They stay as they are, so that the previous
 * release can read what this one writes. Only this file knows both names.
 */
export type SubscriptionFields = {
  readonly [
    Field in keyof Subscription as Field extends keyof StoredNames ? StoredNames[Field] : Field
  ]: Subscription[Field];
};

export function toStored({
  billingAnchor,
  expiringSince,
  expiryRetryAt,
  mustWithdrawOffers,
  manualInvoice,
  promptCount,
  failedAttempts,
  heldBackSince,
  ...fields
}: Subscription): SubscriptionFields {
  return {
    ...fields,
    rhythm: billingAnchor,
    expiring: expiringSince,
    expirefrom: expiryRetryAt,
    withdrawing: mustWithdrawOffers,
    byhand: manualInvoice,
    prompts: promptCount,
    tries: failedAttempts,
    heldback: heldBackSince,
  };
}

export function fromStored({
  rhythm,
  expiring,
  expirefrom,
  withdrawing,
  byhand,
  prompts,
  tries,
  heldback,
  ...fields
}: SubscriptionFields): Subscription {
  return {
    ...fields,
    billingAnchor: rhythm,
    expiringSince: expiring,
    expiryRetryAt: expirefrom,
    mustWithdrawOffers: withdrawing,
    manualInvoice: byhand,
    promptCount: prompts,
    failedAttempts: tries,
    heldBackSince: heldback,
  };
}

export function storedFrom(
  ids: { readonly id: string; readonly businessid: string },
  fields: Document,
): SubscriptionFields {
  return {
    ...ids,
    subscriptionno: fields["subscriptionno"],
    title: fields["title"],
    status: fields["status"],
    customerid: fields["customerid"],
    items: fields["items"],
    amount: cents(fields["amount"]),
    billingcycle: fields["billingcycle"],
    autorenew: fields["autorenew"],
    planid: fields["planid"],
    trial: fields["trial"],
    enddate: fields["enddate"],
    remark: fields["remark"],
    cancelreason: fields["cancelreason"],
    code: fields["code"],
    rhythm: fields["rhythm"],
    nextbillingdate: fields["nextbillingdate"],
    coveredthrough: fields["coveredthrough"],
    pendingsince: fields["pendingsince"],
    expiring: fields["expiring"],
    expirefrom: fields["expirefrom"],
    withdrawing: fields["withdrawing"],
    byhand: fields["byhand"],
    invoices: fields["invoices"],
    prompts: fields["prompts"],
    history: fields["history"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    bucket: fields["bucket"],
    dueat: fields["dueat"],
    tries: fields["tries"],
    parked: fields["parked"],
    heldback: fields["heldback"] ?? null,
  };
}
