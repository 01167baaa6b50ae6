import {
  addMs,
  type Cents,
  cents,
  err,
  type Fault,
  fault,
  hourMs,
  ok,
  parseShillings,
  type Result,
} from "@malipo/core";
import type { ProviderAccount } from "../../domain/payment-method.ts";
import type {
  CallbackFacts,
  PromptAnswer,
  StatusAnswer,
} from "../../domain/transaction/outcome.ts";
import type { AccountTest, Prompt } from "../provider.ts";
import { fieldOf, isTokenError, promptAnswerOfError, readJson, textOf } from "./answer-body.ts";
import { acceptedCode, readResultCode, refusalText } from "./result-codes.ts";

/** An HTTP answer with any body. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

const referenceMax = 12;
const descriptionMax = 13;
/** Kenya has no summer time. */
const nairobiOffsetMs = 3 * hourMs;

/** `YYYYMMDDHHmmss` in Nairobi's time zone. */
export function nairobiTimestamp(now: Date): string {
  return addMs(now, nairobiOffsetMs).toISOString().replaceAll(/\D/g, "").slice(0, 14);
}

/** The number that signs requests. A till's requests are signed by its store number. */
function signingNumber({ type, shortcode, storenumber }: ProviderAccount): string {
  return type === "till" ? (storenumber ?? shortcode) : shortcode;
}

/** The three fields that authenticate a request. The password contains the timestamp. */
export function signRequest(account: ProviderAccount, now: Date) {
  const number = signingNumber(account);
  const timestamp = nairobiTimestamp(now);
  return {
    BusinessShortCode: Number(number),
    Password: Buffer.from(number + account.passkey + timestamp).toString("base64"),
    Timestamp: timestamp,
  };
}

/**
 * Refuses a finished password in place of the passkey. M-Pesa would refuse it too, but only when the
 * first payment is made.
 */
export function checkPasskey(account: ProviderAccount): Result<void, Fault> {
  const { passkey, shortcode, storenumber } = account;
  const decoded = Buffer.from(passkey, "base64").toString("latin1");
  const isPassword = [shortcode, storenumber].some(
    (number) => number !== null && decoded.startsWith(number) && /\d{14}$/.test(decoded),
  );
  if (!isPassword) return ok(undefined);
  const problem = "is a ready-made password; send the passkey itself";
  const fields = [{ path: "passkey", problem }];
  return err(fault("invalid_request", { text: `passkey ${problem}`, fields }));
}

/** Numbers are sent as JSON numbers: M-Pesa silently ignores some of them when they are strings. */
export function promptBody(account: ProviderAccount, prompt: Prompt, now: Date) {
  const phone = Number(prompt.phone);
  return {
    ...signRequest(account, now),
    TransactionType: account.type === "till" ? "CustomerBuyGoodsOnline" : "CustomerPayBillOnline",
    Amount: prompt.shillings,
    PartyA: phone,
    PartyB: Number(account.shortcode),
    PhoneNumber: phone,
    CallBackURL: prompt.callbackUrl,
    AccountReference: plainText(prompt.reference, referenceMax),
    TransactionDesc: plainText(prompt.description, descriptionMax),
  };
}

/** Letters and digits only, never empty, never too long. M-Pesa refuses anything else. */
function plainText(text: string, max: number): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, max) || "Payment";
}

export function statusBody(account: ProviderAccount, checkoutrequestid: string, now: Date) {
  return { ...signRequest(account, now), CheckoutRequestID: checkoutrequestid };
}

export function readPromptAnswer({ status, text }: RawAnswer): PromptAnswer {
  const body = readJson(text);
  const code = textOf(fieldOf(body, "ResponseCode"));
  if (status !== 200 || code === "") return promptAnswerOfError(status, body);
  if (code !== acceptedCode) {
    return { kind: "refused", code, details: `${refusalText(code)} (code ${code})` };
  }
  const checkoutrequestid = textOf(fieldOf(body, "CheckoutRequestID"));
  const merchantrequestid = textOf(fieldOf(body, "MerchantRequestID"));
  // A callback must match both ids.
  if (checkoutrequestid === "" || merchantrequestid === "") {
    return { kind: "unknown", details: "accepted without an id" };
  }
  const description = textOf(fieldOf(body, "ResponseDescription"));
  return { kind: "accepted", checkoutrequestid, merchantrequestid, description };
}

/** Only a known result is an outcome. After any other answer the service queries again. */
export function readStatusAnswer({ status, text }: RawAnswer): StatusAnswer {
  const body = readJson(text);
  const code = textOf(fieldOf(body, "ResultCode"));
  if (status !== 200 || code === "") {
    const message = textOf(fieldOf(body, "errorMessage"));
    if (/being processed/i.test(message)) return { kind: "pending" };
    return { kind: "unanswered", details: `status ${status}` };
  }
  const result = readResultCode(code);
  if (result === "undecided") return { kind: "pending" };
  if (result !== "paid" && result !== "other") return { kind: "declined", reason: result };
  // Some answers say only in their text that the payment is still processed.
  const description = textOf(fieldOf(body, "ResultDesc"));
  if (/still under processing|being processed/i.test(description)) return { kind: "pending" };
  return result === "paid" ? { kind: "paid" } : { kind: "unanswered", details: `result ${code}` };
}

/**
 * Reads the answer to a query about a prompt that does not exist. An account with right credentials is
 * refused only for the unknown id.
 */
export function readAccountTest({ status, text }: RawAnswer): AccountTest {
  const body = readJson(text);
  if (body === undefined) {
    return { kind: "unanswered", details: `status ${status} without a readable answer` };
  }
  const answer = promptAnswerOfError(status, body);
  const message = textOf(fieldOf(body, "errorMessage"));
  const isRefused = status >= 400 && /wrong credentials|merchant|access token/i.test(message);
  if (!isRefused) return { kind: "works" };
  return { kind: "refused", details: "details" in answer ? answer.details : message };
}

export function needsNewToken({ status, text }: RawAnswer): boolean {
  return status >= 400 && isTokenError(readJson(text));
}

/** Null when it is no callback of a prompt. Items are found by name, because their order varies. */
export function readCallback(bytes: Uint8Array): CallbackFacts | null {
  const body = readJson(Buffer.from(bytes).toString());
  const callback = fieldOf(fieldOf(body, "Body"), "stkCallback");
  const checkoutrequestid = textOf(fieldOf(callback, "CheckoutRequestID"));
  const merchantrequestid = textOf(fieldOf(callback, "MerchantRequestID"));
  if (checkoutrequestid === "" || merchantrequestid === "") return null;
  const given = fieldOf(fieldOf(callback, "CallbackMetadata"), "Item");
  const items = Array.isArray(given) ? given : [];
  const item = (name: string): unknown =>
    fieldOf(
      items.find((each) => fieldOf(each, "Name") === name),
      "Value",
    );
  const code = textOf(fieldOf(callback, "ResultCode"));
  return {
    checkoutrequestid,
    merchantrequestid,
    result: readResultCode(code),
    code,
    amount: readAmount(item("Amount")),
    receiptnumber: readReceiptNumber(item("MpesaReceiptNumber")),
  };
}

/** Ten characters are usual. A text longer than 40 is not a receipt number. */
function readReceiptNumber(value: unknown): string | null {
  const text = textOf(value).trim().toUpperCase();
  return /^[A-Z0-9]{5,40}$/.test(text) ? text : null;
}

/**
 * A JSON number, or plain decimal text; null when there is none. Anything else must not look like a
 * missing amount. It is read as 0, which never matches, because no prompt asks for 0.
 */
function readAmount(value: unknown): Cents | null {
  if (value === undefined || value === null) return null;
  const isReadable =
    typeof value === "number" || (typeof value === "string" && /^[0-9]+(\.[0-9]+)?$/.test(value));
  const parsed = isReadable ? parseShillings(Number(value)) : null;
  return parsed?.ok ? parsed.value : cents(0);
}
