import { type Cents, cents, parseShillings } from "@malipo/core";
import type {
  AccountTest,
  Prompt,
  PromptAnswer,
  ProviderAccount,
  StatusAnswer,
} from "../provider.ts";
import type { CallbackFacts } from "../../domain/transaction/transaction.ts";
import { errorOf, isTokenError } from "./error-body.ts";
import { fieldOf, readJson, textOf } from "./json.ts";
import { isKnownDecline, paidCode, refusalText, stillProcessingCode } from "./result-codes.ts";
import { signatureOf } from "./signature.ts";

/** An HTTP answer as it came, whatever it holds. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

const referenceMax = 12;
const descriptionMax = 13;

/** Numbers are sent as numbers: as strings some of them silently reach no phone. */
export function promptBody(account: ProviderAccount, prompt: Prompt, now: Date) {
  const phone = Number(prompt.phone);
  return {
    ...signatureOf(account, now),
    TransactionType: account.type === "till" ? "CustomerBuyGoodsOnline" : "CustomerPayBillOnline",
    Amount: prompt.shillings,
    PartyA: phone,
    PartyB: Number(account.shortcode),
    PhoneNumber: phone,
    CallBackURL: prompt.callbackUrl,
    AccountReference: plain(prompt.reference, referenceMax, "Payment"),
    TransactionDesc: plain(prompt.description, descriptionMax, "Payment"),
  };
}

/** Letters and digits only, never empty and never too long: the rest is refused under other names. */
function plain(text: string, max: number, otherwise: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, max) || otherwise;
}

export function statusBody(account: ProviderAccount, checkoutrequestid: string, now: Date) {
  return { ...signatureOf(account, now), CheckoutRequestID: checkoutrequestid };
}

export function readPromptAnswer({ status, text }: RawAnswer): PromptAnswer {
  const body = readJson(text);
  const code = textOf(fieldOf(body, "ResponseCode"));
  if (status === 200 && code !== "") {
    if (code !== paidCode) {
      return { kind: "refused", code, details: `${refusalText(code)} (code ${code})` };
    }
    const checkoutrequestid = textOf(fieldOf(body, "CheckoutRequestID"));
    const merchantrequestid = textOf(fieldOf(body, "MerchantRequestID"));
    // Callbacks must match both.
    if (checkoutrequestid === "" || merchantrequestid === "") {
      return { kind: "unknown", details: "accepted without an id" };
    }
    const description = textOf(fieldOf(body, "ResponseDescription"));
    return { kind: "accepted", checkoutrequestid, merchantrequestid, description };
  }
  return errorOf(status, body);
}

/** Only what is known to be an outcome is one; everything else is asked again. */
export function readStatusAnswer({ status, text }: RawAnswer): StatusAnswer {
  const body = readJson(text);
  const code = textOf(fieldOf(body, "ResultCode"));
  if (status === 200 && code !== "") {
    const isUnderWay = /still under processing|being processed/i.test(
      textOf(fieldOf(body, "ResultDesc")),
    );
    if (code === stillProcessingCode || (isUnderWay && !isKnownDecline(code)))
      return { kind: "pending" };
    if (code === paidCode) return { kind: "paid" };
    if (isKnownDecline(code)) return { kind: "declined", code };
    return { kind: "unanswered", details: `result ${code}` };
  }
  const message = textOf(fieldOf(body, "errorMessage"));
  if (/being processed/i.test(message)) return { kind: "pending" };
  return { kind: "unanswered", details: `status ${status}` };
}

/** What the answer to a question about nobody's prompt says of who asked it. */
export function readAccountTest({ status, text }: RawAnswer): AccountTest {
  const body = readJson(text);
  if (body === undefined) {
    return { kind: "unanswered", details: `status ${status} without a readable answer` };
  }
  const judged = errorOf(status, body);
  const message = textOf(fieldOf(body, "errorMessage"));
  const isRefused = status >= 400 && /wrong credentials|merchant|access token/i.test(message);
  if (!isRefused) return { kind: "works" };
  return { kind: "refused", details: "details" in judged ? judged.details : message };
}

export function wantsNewToken({ status, text }: RawAnswer): boolean {
  return status >= 400 && isTokenError(readJson(text));
}

/** Null when it is no callback of a prompt. Items are found by name: they come in any order. */
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
  return {
    checkoutrequestid,
    merchantrequestid,
    code: textOf(fieldOf(callback, "ResultCode")),
    amount: centsOf(item("Amount")),
    receiptnumber: receiptNumberOf(item("MpesaReceiptNumber")),
  };
}

/** Ten characters are usual; what is longer than any number ever was is none. */
function receiptNumberOf(value: unknown): string | null {
  const text = textOf(value).trim().toUpperCase();
  return /^[A-Z0-9]{5,40}$/.test(text) ? text : null;
}

function centsOf(value: unknown): Cents | null {
  const text = textOf(value);
  if (text === "") return null;
  const parsed = parseShillings(Number(text));
  // An amount that is none of ours is not the absence of one: nothing was ever asked for with it.
  return parsed.ok ? parsed.value : cents(0);
}
