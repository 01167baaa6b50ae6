/** Results of a prompt, in M-Pesa's words. */
const resultTexts: Readonly<Record<string, string>> = {
  0: "The service request is processed successfully.",
  1: "The balance is insufficient for the transaction.",
  2: "The amount is less than the minimum transaction value.",
  3: "The amount is over the maximum transaction value.",
  4: "The amount would exceed the daily transfer limit.",
  8: "The amount would exceed the maximum balance of the receiver.",
  17: "A transaction of the same amount to the same customer is being processed.",
  26: "The system is busy. Please try again later.",
  1001: "Unable to lock subscriber, a transaction is already in process for the current subscriber.",
  1019: "The transaction has expired.",
  1025: "An error occurred while sending the push request.",
  1032: "Request cancelled by user.",
  1036: "SMSC ACK timeout.",
  1037: "DS timeout user cannot be reached.",
  1101: "The prompt's text is too long.",
  2001: "The initiator information is invalid.",
  2028: "The request is not permitted according to product assignment.",
  8006: "The security credential is locked.",
  9999: "An error occurred while sending the push request.",
  SFC_IC0003: "The operator does not exist.",
};

export function describeResult(code: string): string {
  return resultTexts[code] ?? "The transaction failed.";
}

/** Refusals of the request itself, by the response's ResponseCode. */
const refusalTexts: Readonly<Record<string, string>> = {
  1: "Insufficient Balance",
  2: "Less Than Minimum Transaction Value",
  3: "More Than Maximum Transaction Value",
  4: "Would Exceed Daily Transfer Limit",
  5: "Would Exceed Minimum Balance",
  6: "Unresolved Primary Party",
  7: "Unresolved Receiver Party",
  8: "Would Exceed Maximum Balance",
  11: "Debit Party Name Mismatch",
  12: "Credit Party Name Mismatch",
};

export function describeRefusal(responseCode: string): string {
  return refusalTexts[responseCode] ?? "Request rejected";
}
