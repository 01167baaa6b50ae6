// What real projects got wrong with this provider; those that need a server are in test/mistakes.int.test.ts.
import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { paymentConfig } from "../../config.ts";
import { judgePasskey } from "../../domain/payment-method.ts";
import { outcomeOf } from "../../domain/transaction/outcome.ts";
import type { ProviderAccount } from "../provider.ts";
import { readToken } from "./client.ts";
import { declineOf, isKnownResult } from "./result-codes.ts";
import { nairobiTimestamp, signatureOf } from "./signature.ts";
import { promptBody, readCallback, readPromptAnswer, readStatusAnswer } from "./translate.ts";

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

describe("the mistakes of others", () => {
  it("3: a callback address with spaces or the provider's own name is refused at the start", () => {
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
  ])("4: a pending payment is not read as a failed one (%i %j)", (status, body) => {
    expect(readStatusAnswer(answered(status, body))).toEqual({ kind: "pending" });
  });

  it("4: a result that nobody knows is no outcome", () => {
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
  ])("5: what may have been sent is never said to be refused or unsent (%i %j)", (status, body) => {
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
  ])("5: what was turned away may be sent again (%i %j)", (status, body) => {
    expect(readPromptAnswer(answered(status, body)).kind).toBe("not sent");
  });

  it.each([["3599"], [3599]])("6: a token's life is read as %j too", (expires_in) => {
    const read = readToken(200, { access_token: "abc", expires_in });
    expect(read).toEqual({ ok: true, value: { token: "abc", lifetimeMs: 3_599_000 } });
  });

  it("8: a ready-made password is not taken for the passkey", () => {
    const { Password } = signatureOf(paybill, now);
    expect(judgePasskey({ ...paybill, passkey: Password }).ok).toBe(false);
    expect(judgePasskey(paybill).ok).toBe(true);
  });

  it("9: the timestamp is Nairobi's, and the password is made with the very same", () => {
    expect(nairobiTimestamp(now)).toBe("20261122003005");
    const { Password, Timestamp } = signatureOf(paybill, now);
    const decoded = Buffer.from(Password, "base64").toString();
    expect(decoded).toBe(`174379${paybill.passkey}${Timestamp}`);
  });

  it("10: amounts leave as whole numbers, and come back in whatever form", () => {
    expect(promptBody(paybill, prompt, now).Amount).toBe(2500);
    expect(amountOf(2500.0)).toBe(cents(250_000));
    expect(amountOf("2500.00")).toBe(cents(250_000));
    expect(amountOf(10.5)).toBe(cents(1_050));
    // Never to be taken for "it did not say".
    expect(amountOf("ten")).toBe(cents(0));
    expect(amountOf(10.555)).toBe(cents(0));
    expect(amountOf(undefined)).toBeNull();
  });

  it("11: numbers that begin with 2541 are phones like others", () => {
    const body = promptBody(paybill, { ...prompt, phone: "254112345678" }, now);
    expect(body).toMatchObject({ PartyA: 254_112_345_678, PhoneNumber: 254_112_345_678 });
  });

  it("12: a till is paid by its own number and signed for by its store's", () => {
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

  it("13: reference and description are never null, empty, too long or odd", () => {
    for (const text of ["", "   ", "é—", "x".repeat(200), "INV-000123 / Asha & Co."]) {
      const body = promptBody(paybill, { ...prompt, reference: text, description: text }, now);
      expect(body.AccountReference).toMatch(/^[A-Za-z0-9]{1,12}$/);
      expect(body.TransactionDesc).toMatch(/^[A-Za-z0-9]{1,13}$/);
    }
  });

  it("14: a wall's page in place of an answer tells nothing, and breaks nothing", () => {
    const page = answered(503, "<html><head>Incapsula</head></html>");
    expect(readPromptAnswer(page).kind).toBe("unknown");
    expect(readStatusAnswer(page).kind).toBe("unanswered");
    expect(readCallback(Buffer.from(page.text))).toBeNull();
  });

  it("15: a phone that shows no prompt is unreachable, not a payer who said no", () => {
    expect(outcomeOf("1037")).toEqual({ trigger: "decline", reason: "unreachable" });
    expect(outcomeOf("1032")).toEqual({ trigger: "cancel", reason: "cancelled_by_payer" });
  });

  it.each([["SFC_IC0003"], [""], [null], [undefined], [" "], ["00"], [false], [[0]], ["0.0"]])(
    "16: result %j is not zero",
    (ResultCode) => {
      expect(callbackWith({ ResultCode })?.code).not.toBe("0");
      expect(readStatusAnswer(answered(200, { ResultCode })).kind).not.toBe("paid");
    },
  );

  it("16: a result is known by its own name only", () => {
    for (const code of ["0", "1032", "4999", "SFC_IC0003"]) expect(isKnownResult(code)).toBe(true);
    for (const code of ["", "00", "31337", "constructor"]) {
      expect(isKnownResult(code)).toBe(false);
      expect(declineOf(code)).toBe("other");
    }
  });

  it.each([[0], ["0"]])("16: result %j is", (ResultCode) => {
    expect(callbackWith({ ResultCode })?.code).toBe("0");
    expect(readStatusAnswer(answered(200, { ResultCode })).kind).toBe("paid");
  });
});

describe("a callback", () => {
  it("is read by the names of its items, with or without values", () => {
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
  ])("is none when it is %s", (text) => expect(readCallback(Buffer.from(text))).toBeNull());
});

describe("an answer to a request for a prompt", () => {
  it.each([
    [400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid Amount" }],
    [500, { errorCode: "500.001.1001", errorMessage: "[MerchantValidate] - Wrong credentials" }],
    [500, { errorCode: "500.001.1001", errorMessage: "Merchant does not exist" }],
    [500, { errorCode: "500.001.1001", errorMessage: "Unable to lock subscriber, …" }],
    [200, { ResponseCode: 1, ResponseDescription: "no" }],
  ])("refuses for good: %i %j", (status, body) => {
    expect(readPromptAnswer(answered(status, body)).kind).toBe("refused");
  });

  it("shows no phone number in what it says", () => {
    const errorMessage = "Bad Request - Invalid PhoneNumber 254712345678";
    const read = readPromptAnswer(answered(400, { errorCode: "400.002.02", errorMessage }));
    expect(JSON.stringify(read)).not.toContain("254712345678");
  });
});
