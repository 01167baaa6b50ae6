import type { NewEvent, PaymentRequestView, TransactionView } from "@malipo/contracts";
import { err, type Fault, fault, centsToShillings, ok, type Result } from "@malipo/core";
import type { State, Transaction } from "./transaction.ts";

export function publicStatus(state: State): TransactionView["status"] {
  return state === "completed" || state === "failed" || state === "cancelled" ? state : "pending";
}

export function viewTransaction(transaction: Transaction): TransactionView {
  const { id, completedat, createdat, updatedat } = transaction;
  return {
    _id: id,
    status: publicStatus(transaction.state),
    amount: centsToShillings(transaction.amount),
    currency: "KES",
    phone: transaction.phone,
    channel: "momo",
    referenceid: transaction.referenceid,
    checkoutrequestid: transaction.checkoutrequestid,
    merchantrequestid: transaction.merchantrequestid,
    momoreceiptnumber: transaction.momoreceiptnumber,
    reason: transaction.reason,
    customerid: transaction.customerid,
    invoiceid: transaction.invoiceid,
    paymentlinkid: transaction.paymentlinkid,
    createdat: createdat.toISOString(),
    updatedat: updatedat.toISOString(),
    completedat: completedat?.toISOString() ?? null,
  };
}

type PaymentEvent = Extract<NewEvent, { type: `payment.${string}` }>["type"];

export function paymentEvent(type: PaymentEvent, transaction: Transaction): NewEvent {
  const { invoiceid, subscriptionid, customerid, paymentlinkid } = transaction;
  return {
    type,
    data: {
      transactionid: transaction.id,
      checkoutrequestid: transaction.checkoutrequestid,
      amount: centsToShillings(transaction.amount),
      phone: transaction.phone,
      momoreceiptnumber: transaction.momoreceiptnumber,
      referenceid: transaction.referenceid,
      status: type === "payment.initiated" ? "pending" : publicStatus(transaction.state),
      reason: type === "payment.initiated" ? null : transaction.reason,
    },
    inside: { invoiceid, subscriptionid, customerid, paymentlinkid },
  };
}

const defaultDescription = "Success. Request accepted for processing";

/**
 * The answer to a request for a payment. It depends on the transaction alone, so a repeated request
 * gets the same answer.
 */
export function viewPaymentRequest(transaction: Transaction): Result<PaymentRequestView, Fault> {
  const { id, state, reason, checkoutrequestid, merchantrequestid } = transaction;
  if (state === "failed" && reason === "refused") {
    return err(fault("provider_refused", { details: transaction.refusal ?? "" }));
  }
  if (state === "failed" && reason === "not_sent") {
    const text = "Transaction is failed: it could not be sent in time";
    return err(fault("conflict", { text, transactionid: id }));
  }
  if (checkoutrequestid === null) return err(outcomeUnknown(id));
  return ok({
    checkoutrequestid,
    merchantrequestid: merchantrequestid ?? "",
    responsecode: "0",
    responsedescription: transaction.responsedescription ?? defaultDescription,
    transactionid: id,
  });
}

/** The prompt may have reached the phone. The caller has to look at the transaction later. */
export function outcomeUnknown(transactionid: string, detail?: string): Fault {
  return fault("outcome_unknown", {
    transactionid,
    ...(detail !== undefined && { logText: detail }),
  });
}
