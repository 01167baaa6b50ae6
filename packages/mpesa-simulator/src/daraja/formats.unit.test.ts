import { describe, expect, it } from "vitest";
import { buildCallback, writeCallback } from "./callback.ts";
import { buildPassword, findMerchant, isTimely } from "./credentials.ts";
import { createCheckoutRequestId, createMerchantRequestId, createReceiptNumber } from "./ids.ts";
import { formatNairobiTimestamp, parseNairobiTimestamp } from "./nairobi-time.ts";
import { createPushParser, type SignedRequest } from "./requests.ts";
import { sandboxMerchants } from "@malipo/contracts";

const newYear = new Date("2023-12-31T21:30:15.250Z");

describe("a timestamp in Nairobi's time", () => {
  it("is three hours ahead of UTC, across a change of year too", () => {
    expect(formatNairobiTimestamp(newYear)).toBe("20240101003015");
    expect(parseNairobiTimestamp("20240101003015")?.toISOString()).toBe("2023-12-31T21:30:15.000Z");
  });

  it.each(["20230229000000", "20241301000000", "20240101240000", "20240101006000", "2024", ""])(
    'is not parsed from "%s"',
    (text) => {
      expect(parseNairobiTimestamp(text)).toBeNull();
    },
  );
});

describe("a new id", () => {
  it("of a checkout request contains the time and, in its current form, the phone number", () => {
    expect(createCheckoutRequestId(newYear, "254722943992", "current")).toBe(
      "ws_CO_01012024003015250722943992",
    );
    expect(createCheckoutRequestId(newYear, "254722943992", "older")).toMatch(
      /^ws_CO_01012024003015250\d$/,
    );
  });

  it("of a merchant request has a current and an older form", () => {
    expect(createMerchantRequestId("current")).toMatch(/^[\da-f]{4}(-[\da-f]{4}){2}-[\da-f]{16}$/);
    expect(createMerchantRequestId("older")).toMatch(/^\d+-\d+-1$/);
  });

  it("of a receipt begins with year, month and day", () => {
    // The real receipt NCB9FJNAIT is of 11 March 2019.
    expect(createReceiptNumber(new Date("2019-03-11T09:21:21Z"))).toMatch(/^NCB[0-9A-Z]{7}$/);
    expect(createReceiptNumber(new Date("2026-12-09T09:21:21Z"))).toMatch(/^UL9[0-9A-Z]{7}$/);
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

  it("of a success is equal to one from real traffic", () => {
    expect(writeCallback(buildCallback({ ...facts, result: "0" }))).toBe(
      '{"Body":{"stkCallback":{"MerchantRequestID":"1-2-1","CheckoutRequestID":"ws_CO_1","ResultCode":0,"ResultDesc":"The service request is processed successfully.","CallbackMetadata":{"Item":[{"Name":"Amount","Value":1.00},{"Name":"MpesaReceiptNumber","Value":"NCB9FJNAIT"},{"Name":"Balance"},{"Name":"TransactionDate","Value":20190311122121},{"Name":"PhoneNumber","Value":254719748260}]}}}}',
    );
  });

  it("of a failure has a numeric result code when possible, and no metadata", () => {
    expect(buildCallback({ ...facts, result: "1032" })).toEqual({
      MerchantRequestID: "1-2-1",
      CheckoutRequestID: "ws_CO_1",
      ResultCode: 1032,
      ResultDesc: "Request cancelled by user.",
    });
    expect(buildCallback({ ...facts, result: "SFC_IC0003" }).ResultCode).toBe("SFC_IC0003");
  });
});

describe("the credentials of a request", () => {
  const { paybill, till } = sandboxMerchants;
  const Timestamp = "20240101003015";
  const signed = (shortcode: string, passkey: string): SignedRequest => ({
    BusinessShortCode: shortcode,
    Timestamp,
    Password: buildPassword(shortcode, passkey, Timestamp),
  });

  it("must be the merchant's shortcode and passkey, and belong to the token's application", () => {
    const request = signed(paybill.shortcode, paybill.passkey);
    expect(Buffer.from(request.Password, "base64").toString()).toBe(
      `${paybill.shortcode}${paybill.passkey}${Timestamp}`,
    );
    expect(findMerchant(request, paybill.key, [till, paybill])).toEqual({ merchant: paybill });
    expect(findMerchant(request, till.key, [till, paybill])).toEqual({
      rejection: "wrongCredentials",
    });
    expect(findMerchant(request, paybill.key, [till])).toEqual({ rejection: "unknownMerchant" });
    const other = signed(paybill.shortcode, "another passkey");
    expect(findMerchant(other, paybill.key, [paybill])).toEqual({ rejection: "wrongCredentials" });
  });

  it("accept any timestamp unless the skew is limited", () => {
    const now = new Date("2023-12-31T21:35:15Z");
    expect(isTimely(Timestamp, now, 0)).toBe(true);
    expect(isTimely(Timestamp, now, 5)).toBe(true);
    expect(isTimely(Timestamp, now, 4)).toBe(false);
    // The same moment in London's local time.
    expect(isTimely("20231231213015", now, 60)).toBe(false);
  });
});

const findInvalidField = (CallBackURL: string) => {
  const parsed = createPushParser(["gateway"])(
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
  return parsed.ok ? "valid" : parsed.field;
};

describe("a callback address, with plain http host 'gateway'", () => {
  it.each([
    "https://example.com/c",
    "http://127.0.0.1:8080/c",
    "http://127.9.9.9/c",
    "http://localhost:1/c",
    "http://[::1]:8080/c",
    "http://gateway:8080/c",
  ])("may be %s", (url) => {
    expect(findInvalidField(url)).toBe("valid");
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
    expect(findInvalidField(url)).toBe("CallBackURL");
  });
});
