import type { RequestOutcome } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { Transaction } from "./transaction.ts";

const usualDescription = "Success. Request accepted for processing";

/** What a request for a payment is answered, by what has become of it: the same however often it comes. */
export function answerFor(transaction: Transaction): Result<RequestOutcome, Fault> {
  const { id, state, reason, checkoutrequestid, merchantrequestid } = transaction;
  if (state === "failed" && reason === "refused") {
    return err(fault("provider_refused", { details: transaction.refusal ?? "" }));
  }
  if (state === "failed" && reason === "not_sent") {
    return err(fault("conflict", { text: "Transaction is failed: it could not be sent in time" }));
  }
  if (checkoutrequestid === null) return err(unknownOutcome(id));
  return ok({
    checkoutrequestid,
    merchantrequestid: merchantrequestid ?? "",
    responsecode: "0",
    responsedescription: transaction.responsedescription ?? usualDescription,
    transactionid: id,
  });
}

/** It may have reached the phone: only its transaction will tell. */
export function unknownOutcome(transactionid: string, detail?: string): Fault {
  return fault("outcome_unknown", { transactionid, ...(detail !== undefined && { detail }) });
}
