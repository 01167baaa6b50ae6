import { describe, expect, it } from "vitest";
import { callbackText, stkCallback } from "./callback.ts";
import { isTimely, merchantOf, passwordOf } from "./credentials.ts";
import { checkoutRequestId, merchantRequestId, receiptNumber } from "./ids.ts";
import { nairobiStamp, readStamp } from "./nairobi-time.ts";
import { pushReader, type SignedRequest } from "./requests.ts";
import { sandboxMerchants } from "@malipo/contracts";

const newYear = new Date("2023-12-31T21:30:15.250Z");

describe("Nairobi's time", () => {
  it("is three hours ahead, also into the next year", () => {
    expect(nairobiStamp(newYear)).toBe("20240101003015");
    expect(readStamp("20240101003015")?.toISOString()).toBe("2023-12-31T21:30:15.000Z");
  });

  it.each(["20230229000000", "20241301000000", "20240101240000", "20240101006000", "2024", ""])(
    "%s is no moment",
    (stamp) => {
      expect(readStamp(stamp)).toBeNull();
    },
  );
});

describe("ids", () => {
  it("of a prompt carry the moment and, today, the subscriber's digits", () => {
    expect(checkoutRequestId(newYear, "254722943992", "current")).toBe(
      "ws_CO_01012024003015250722943992",
    );
    expect(checkoutRequestId(newYear, "254722943992", "older")).toMatch(
      /^ws_CO_01012024003015250\d$/,
    );
  });

  it("of a merchant's request have two forms", () => {
    expect(merchantRequestId("current")).toMatch(/^[\da-f]{4}(-[\da-f]{4}){2}-[\da-f]{16}$/);
    expect(merchantRequestId("older")).toMatch(/^\d+-\d+-1$/);
  });

  it("of a receipt begin with year, month and day", () => {
    // As the real receipt NCB9FJNAIT of 11 March 2019 does.
    expect(receiptNumber(new Date("2019-03-11T09:21:21Z"))).toMatch(/^NCB[0-9A-Z]{7}$/);
    expect(receiptNumber(new Date("2026-12-09T09:21:21Z"))).toMatch(/^UL9[0-9A-Z]{7}$/);
  });
});

describe("a callback", () => {
  const facts = {
    merchantRequestId: "1-2-1",
    checkoutRequestId: "ws_CO_1",
    amount: 1,
    receipt: "NCB9FJNAIT",
    phone: "254719748260",
    at: new Date("2019-03-11T09:21:21Z"),
  };

  it("of a success is what was seen on the wire", () => {
    expect(callbackText(stkCallback({ ...facts, result: "0" }))).toBe(
      '{"Body":{"stkCallback":{"MerchantRequestID":"1-2-1","CheckoutRequestID":"ws_CO_1","ResultCode":0,"ResultDesc":"The service request is processed successfully.","CallbackMetadata":{"Item":[{"Name":"Amount","Value":1.00},{"Name":"MpesaReceiptNumber","Value":"NCB9FJNAIT"},{"Name":"Balance"},{"Name":"TransactionDate","Value":20190311122121},{"Name":"PhoneNumber","Value":254719748260}]}}}}',
    );
  });

  it("of a failure has a number for a code where it is one, and no details", () => {
    expect(stkCallback({ ...facts, result: "1032" })).toEqual({
      MerchantRequestID: "1-2-1",
      CheckoutRequestID: "ws_CO_1",
      ResultCode: 1032,
      ResultDesc: "Request cancelled by user.",
    });
    expect(stkCallback({ ...facts, result: "SFC_IC0003" }).ResultCode).toBe("SFC_IC0003");
  });
});

describe("credentials", () => {
  const { paybill, till } = sandboxMerchants;
  const Timestamp = "20240101003015";
  const signed = (shortcode: string, passkey: string): SignedRequest => ({
    BusinessShortCode: shortcode,
    Timestamp,
    Password: passwordOf(shortcode, passkey, Timestamp),
  });

  it("are shortcode, passkey and timestamp, of the application that holds the token", () => {
    const request = signed(paybill.shortcode, paybill.passkey);
    expect(Buffer.from(request.Password, "base64").toString()).toBe(
      `${paybill.shortcode}${paybill.passkey}${Timestamp}`,
    );
    expect(merchantOf(request, paybill.key, [till, paybill])).toEqual({ merchant: paybill });
    expect(merchantOf(request, till.key, [till, paybill])).toEqual({ refusal: "wrongCredentials" });
    expect(merchantOf(request, paybill.key, [till])).toEqual({ refusal: "unknownMerchant" });
    const other = signed(paybill.shortcode, "another passkey");
    expect(merchantOf(other, paybill.key, [paybill])).toEqual({ refusal: "wrongCredentials" });
  });

  it("may be of any time unless their age matters", () => {
    const now = new Date("2023-12-31T21:35:15Z");
    expect(isTimely(Timestamp, now, 0)).toBe(true);
    expect(isTimely(Timestamp, now, 5)).toBe(true);
    expect(isTimely(Timestamp, now, 4)).toBe(false);
    // The same hour, read off a clock in London.
    expect(isTimely("20231231213015", now, 60)).toBe(false);
  });
});

const fieldOf = (CallBackURL: string) => {
  const read = pushReader(["gateway"])(
    JSON.stringify({
      BusinessShortCode: 174_379,
      Password: "YQ==",
      Timestamp: "20240101003015",
      TransactionType: "CustomerPayBillOnline",
      Amount: 1,
      PartyA: 254_712_345_678,
      PartyB: 174_379,
      PhoneNumber: 254_712_345_678,
      CallBackURL,
      AccountReference: "A",
    }),
  );
  return read.ok ? "taken" : read.field;
};

describe("a callback address", () => {
  it.each([
    "https://example.com/c",
    "http://127.0.0.1:8080/c",
    "http://127.9.9.9/c",
    "http://localhost:1/c",
    "http://[::1]:8080/c",
    "http://gateway:8080/c",
  ])("may be %s", (url) => {
    expect(fieldOf(url)).toBe("taken");
  });

  it.each([
    "http://example.com/c",
    "http://gateway.example.com/c",
    "http://127.0.0.1.example.com/c",
    "http://localhost.example.com/",
    "http://127.0.0.1@example.com/",
    "ftp://127.0.0.1/c",
    "file:///etc/passwd",
    " https://example.com/c",
    "https://mpesa.example.com/c",
    "example.com/c",
    `https://example.com/${"c".repeat(1_100)}`,
  ])("may not be %s", (url) => {
    expect(fieldOf(url)).toBe("CallBackURL");
  });
});
