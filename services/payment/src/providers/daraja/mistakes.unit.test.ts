// Mistakes that real projects made with M-Pesa, by number (see the README). The ones that need servers are
// in test/mistakes.int.test.ts.
import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { paymentConfig } from "../../config.ts";
import type { ProviderAccount } from "../../domain/payment-method.ts";
import { unpaidOutcome } from "../../domain/transaction/outcome.ts";
import { readToken } from "./client.ts";
import { readResultCode } from "./result-codes.ts";
import {
  checkPasskey,
  nairobiTimestamp,
  promptBody,
  readCallback,
  readPromptAnswer,
  readStatusAnswer,
  signRequest,
} from "./translate.ts";

const paybill: ProviderAccount = {
  type: "paybill",
  shortcode: "174379",
  storenumber: null,
  consumerkey: "key",
  consumersecret: "secret",
  passkey: "bfb279f9aa9bdbcf158e97dd71a467cd",
};
const till: ProviderAccount = {
  ...paybill,
  type: "till",
  shortcode: "5500980",
  storenumber: "600980",
};
const prompt = {
  shillings: 2500,
  phone: "254712345678",
  callbackUrl: "https://pay.example.co.ke/callbacks/stk/abc",
  reference: "INV-000123",
  description: "Monthly internet, 10 Mbps",
};
const now = new Date("2026-11-21T21:30:05Z");

function answered(status: number, body: unknown) {
  return { status, text: typeof body === "string" ? body : JSON.stringify(body) };
}

function callbackWith(fields: object) {
  const stkCallback = { MerchantRequestID: "m-1", CheckoutRequestID: "c-1", ...fields };
  return readCallback(Buffer.from(JSON.stringify({ Body: { stkCallback } })));
}

function amountOf(Value: unknown) {
  const Item = [{ Name: "Amount", Value }];
  return callbackWith({ ResultCode: 0, CallbackMetadata: { Item } })?.amount;
}

describe("mistakes of other M-Pesa projects", () => {
  it("3: the configuration refuses a callback address with spaces or the word mpesa", () => {
    const { CALLBACK_URL } = paymentConfig.shape;
    for (const url of ["https://pay.co.ke/mpesa", "https://MPESA.co.ke", " https://pay.co.ke /x"]) {
      expect(CALLBACK_URL.safeParse(url).success).toBe(false);
    }
    expect(CALLBACK_URL.parse("https://pay.co.ke/")).toBe("https://pay.co.ke");
  });

  it.each([
    [500, { errorCode: "500.001.1001", errorMessage: "The transaction is being processed" }],
    [200, { ResultCode: "4999", ResultDesc: "The transaction is still under processing" }],
    [200, { ResultCode: 4999, ResultDesc: "" }],
    [200, { ResultCode: "77", ResultDesc: "[STK] - still under processing" }],
  ])("4: a query answer about a pending payment is read as pending (%i %j)", (status, body) => {
    expect(readStatusAnswer(answered(status, body))).toEqual({ kind: "pending" });
  });

  it("4: a query answer with an unknown result code is read as unanswered", () => {
    const body = { ResultCode: "31337", ResultDesc: "who knows" };
    expect(readStatusAnswer(answered(200, body)).kind).toBe("unanswered");
  });

  it.each([
    [500, { errorCode: "500.003.1001", errorMessage: "Internal Server Error" }],
    [500, { errorCode: "500.001.1001", errorMessage: "something new" }],
    [503, "<html>Service unavailable</html>"],
    [504, { fault: { faultstring: "Gateway Timeout", detail: { errorcode: "x.GatewayTimeout" } } }],
    [200, "<html>"],
    [200, ""],
    [200, { ResponseCode: "0", ResponseDescription: "accepted, but without an id" }],
    [200, { ResponseCode: "0", CheckoutRequestID: "ws_CO_1", MerchantRequestID: "" }],
    [200, { ResponseCode: "0", CheckoutRequestID: "", MerchantRequestID: "m-1" }],
  ])("5: a prompt that may have been sent is read as unknown (%i %j)", (status, body) => {
    expect(readPromptAnswer(answered(status, body)).kind).toBe("unknown");
  });

  it.each([
    [500, { errorCode: "500.003.02", errorMessage: "Error Occurred: Spike Arrest Violation" }],
    [500, { errorCode: "500.003.02", errorMessage: "System is busy" }],
    [500, { errorCode: "500.003.03", errorMessage: "Quota Violation" }],
    [429, "Too many"],
    [404, { errorCode: "404.001.03", errorMessage: "Invalid Access Token" }],
    [403, "<html>blocked</html>"],
    [
      429,
      { fault: { faultstring: "Spike", detail: { errorcode: "policies.ratelimit.SpikeArrest" } } },
    ],
  ])("5: a prompt that was turned away is read as not sent (%i %j)", (status, body) => {
    expect(readPromptAnswer(answered(status, body)).kind).toBe("not sent");
  });

  it.each([["3599"], [3599]])("6: a token's lifetime is read from %j", (expires_in) => {
    const read = readToken(200, { access_token: "abc", expires_in });
    expect(read).toEqual({ ok: true, value: { token: "abc", lifetimeMs: 3_599_000 } });
  });

  it("8: a ready-made password is refused as passkey", () => {
    const { Password } = signRequest(paybill, now);
    expect(checkPasskey({ ...paybill, passkey: Password }).ok).toBe(false);
    expect(checkPasskey(paybill).ok).toBe(true);
  });

  it("9: the timestamp is in Nairobi time, and the password contains the same timestamp", () => {
    expect(nairobiTimestamp(now)).toBe("20261122003005");
    const { Password, Timestamp } = signRequest(paybill, now);
    const decoded = Buffer.from(Password, "base64").toString();
    expect(decoded).toBe(`174379${paybill.passkey}${Timestamp}`);
  });

  it.each([
    ["0x64"],
    ["0b1100100"],
    ["1e2"],
    [" 100 "],
    ["+100"],
    ["-100"],
    ["100."],
    [".5"],
    ["1_00"],
    ["1,00"],
    ["١٠٠"],
    ["Infinity"],
    ["NaN"],
    [""],
    [true],
    [[100]],
    [{ amount: 100 }],
  ])(
    "10: the amount %j is neither a number nor plain decimal text, so it matches none",
    (value) => {
      expect(amountOf(value)).toBe(cents(0));
    },
  );

  it("10: an amount beyond all numbers matches none", () => {
    const text =
      '{"Body":{"stkCallback":{"MerchantRequestID":"m-1","CheckoutRequestID":"c-1","ResultCode":0,' +
      '"CallbackMetadata":{"Item":[{"Name":"Amount","Value":1e400}]}}}}';
    expect(readCallback(Buffer.from(text))?.amount).toBe(cents(0));
  });

  it("10: amounts are sent as whole numbers, and read as numbers or strings", () => {
    expect(promptBody(paybill, prompt, now).Amount).toBe(2500);
    expect(amountOf(2500.0)).toBe(cents(250_000));
    expect(amountOf("2500.00")).toBe(cents(250_000));
    expect(amountOf(10.5)).toBe(cents(1_050));
    // An unreadable amount must differ from a missing one.
    expect(amountOf("ten")).toBe(cents(0));
    expect(amountOf(10.555)).toBe(cents(0));
    expect(amountOf(undefined)).toBeNull();
    expect(amountOf(null)).toBeNull();
  });

  it("11: phone numbers that begin with 2541 are sent like others", () => {
    const body = promptBody(paybill, { ...prompt, phone: "254112345678" }, now);
    expect(body).toMatchObject({ PartyA: 254_112_345_678, PhoneNumber: 254_112_345_678 });
  });

  it("12: a till is paid by its own number and signed by its store number", () => {
    expect(promptBody(till, prompt, now)).toMatchObject({
      TransactionType: "CustomerBuyGoodsOnline",
      BusinessShortCode: 600_980,
      PartyB: 5_500_980,
    });
    expect(promptBody(paybill, prompt, now)).toMatchObject({
      TransactionType: "CustomerPayBillOnline",
      BusinessShortCode: 174_379,
      PartyB: 174_379,
    });
  });

  it("13: reference and description are never empty, too long or with special characters", () => {
    for (const text of ["", "   ", "é—", "x".repeat(200), "INV-000123 / Asha & Co."]) {
      const body = promptBody(paybill, { ...prompt, reference: text, description: text }, now);
      expect(body.AccountReference).toMatch(/^[A-Za-z0-9]{1,12}$/);
      expect(body.TransactionDesc).toMatch(/^[A-Za-z0-9]{1,13}$/);
    }
  });

  it("14: a firewall's page is read as unknown, unanswered, and no callback", () => {
    const page = answered(503, "<html><head>Incapsula</head></html>");
    expect(readPromptAnswer(page).kind).toBe("unknown");
    expect(readStatusAnswer(page).kind).toBe("unanswered");
    expect(readCallback(Buffer.from(page.text))).toBeNull();
  });

  it("15: a phone that shows no prompt is unreachable, and the payment failed instead of cancelled", () => {
    expect(readResultCode("1037")).toBe("unreachable");
    expect(unpaidOutcome("unreachable")).toEqual({ trigger: "decline", reason: "unreachable" });
    expect(readResultCode("1032")).toBe("cancelled_by_payer");
    expect(unpaidOutcome("cancelled_by_payer")).toEqual({
      trigger: "cancel",
      reason: "cancelled_by_payer",
    });
  });

  it.each([["SFC_IC0003"], [""], [null], [undefined], [" "], ["00"], [false], [[0]], ["0.0"]])(
    "16: result code %j is not read as paid",
    (ResultCode) => {
      expect(callbackWith({ ResultCode })?.result).not.toBe("paid");
      expect(readStatusAnswer(answered(200, { ResultCode })).kind).not.toBe("paid");
    },
  );

  it.each([
    ["0", "paid"],
    ["1032", "cancelled_by_payer"],
    ["SFC_IC0003", "misconfigured"],
    ["4999", "undecided"],
    ["", "undecided"],
    ["00", "other"],
    ["31337", "other"],
    ["constructor", "other"],
  ])("16: result code %j is read as %s", (code, result) => {
    expect(readResultCode(code)).toBe(result);
  });

  it.each([[0], ["0"]])("16: result code %j is read as paid", (ResultCode) => {
    expect(callbackWith({ ResultCode })).toMatchObject({ result: "paid", code: "0" });
    expect(readStatusAnswer(answered(200, { ResultCode })).kind).toBe("paid");
  });
});

describe("readCallback", () => {
  it("finds items by name, with or without values", () => {
    const Item = [
      { Name: "Balance" },
      { Name: "PhoneNumber", Value: "2547 ***** 126" },
      { Name: "Odd", Value: { nested: true } },
      { Name: "MpesaReceiptNumber", Value: "ncb9fjnait" },
      { Name: "Amount", Value: 1 },
    ];
    expect(callbackWith({ ResultCode: 0, CallbackMetadata: { Item } })).toEqual({
      checkoutrequestid: "c-1",
      merchantrequestid: "m-1",
      result: "paid",
      code: "0",
      amount: cents(100),
      receiptnumber: "NCB9FJNAIT",
    });
  });

  it.each([
    ["{"],
    ["null"],
    ["[]"],
    ["{}"],
    ['{"Body":{}}'],
    ['{"Body":{"stkCallback":{}}}'],
    [""],
  ])("returns null for %s", (text) => expect(readCallback(Buffer.from(text))).toBeNull());
});

describe("readPromptAnswer", () => {
  it.each([
    [400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid Amount" }],
    [500, { errorCode: "500.001.1001", errorMessage: "[MerchantValidate] - Wrong credentials" }],
    [500, { errorCode: "500.001.1001", errorMessage: "Merchant does not exist" }],
    [500, { errorCode: "500.001.1001", errorMessage: "Unable to lock subscriber, …" }],
    [200, { ResponseCode: 1, ResponseDescription: "no" }],
  ])("reads a final refusal from %i %j", (status, body) => {
    expect(readPromptAnswer(answered(status, body)).kind).toBe("refused");
  });

  it("removes phone numbers from the details", () => {
    const errorMessage = "Bad Request - Invalid PhoneNumber 254712345678";
    const read = readPromptAnswer(answered(400, { errorCode: "400.002.02", errorMessage }));
    expect(JSON.stringify(read)).not.toContain("254712345678");
  });
});
