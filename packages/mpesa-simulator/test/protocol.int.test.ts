import { sandboxMerchants } from "@malipo/contracts";
import { eventually } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSimulator, type Simulator } from "../src/index.ts";
import { type CallbackReceiver, openCallbackReceiver } from "./callback-receiver.ts";
import { merchantAt, passwordFor, send } from "./merchant.ts";

let simulator: Simulator;
let receiver: CallbackReceiver;
let merchant: ReturnType<typeof merchantAt>;

beforeAll(async () => {
  receiver = await openCallbackReceiver();
  simulator = await openSimulator({ settings: { timing: { outcomeMs: 50 } } });
  merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token-1`);
  await merchant.signIn();
});
afterAll(async () => {
  await simulator.close();
  await receiver.close();
});

const darajaError = (code: string, message: string | RegExp) => ({
  requestId: expect.stringMatching(/^\d+-\d+-1$/),
  errorCode: code,
  errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
});

describe("an access token", () => {
  it("is issued for the application's key and secret, with its lifetime as a string", async () => {
    const { status, json } = await merchant.signIn();
    expect(status).toBe(200);
    expect(json).toEqual({ access_token: expect.stringMatching(/^\S{20,}$/), expires_in: "3599" });
  });

  it.each([
    ["no credentials", "client_credentials", undefined, "400.008.01"],
    ["another scheme", "client_credentials", "Bearer abc", "400.008.01"],
    [
      "a wrong secret",
      "client_credentials",
      `Basic ${btoa("sandbox-paybill-key:no")}`,
      "400.008.01",
    ],
    [
      "another grant",
      "password",
      `Basic ${btoa("sandbox-paybill-key:sandbox-paybill-secret")}`,
      "400.008.02",
    ],
  ])("is rejected for %s", async (_what, grant, authorization, code) => {
    const { status, json } = await send(
      `${simulator.url}/oauth/v1/generate?grant_type=${grant}`,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(status).toBe(400);
    expect(json).toEqual(darajaError(code, /^Invalid/));
  });

  it("revokes the older one, and an unknown token is rejected with 404", async () => {
    const first = (await merchant.signIn()).json["access_token"];
    const second = (await merchant.signIn()).json["access_token"];
    merchant.useToken(String(first));
    const rejected = await merchant.push("254712000001");
    expect(rejected.status).toBe(404);
    expect(rejected.json).toEqual(darajaError("404.001.03", "Invalid Access Token"));
    merchant.useToken(String(second));
    expect((await merchant.push("254712000001")).status).toBe(200);
  });

  it("expires", async () => {
    simulator.change({ switches: { tokenSeconds: 1 } });
    await merchant.signIn();
    await eventually(async () => expect((await merchant.push("254712000001")).status).toBe(404));
    simulator.change({ switches: { tokenSeconds: 3_599 } });
    await merchant.signIn();
  });
});

describe("a payment request", () => {
  it("is accepted with ids of the current or the older form", async () => {
    const phone = "254712345678";
    const responses = await Promise.all(Array.from({ length: 8 }, () => merchant.push(phone)));
    for (const { status, json } of responses) {
      expect(status).toBe(200);
      expect(json).toEqual({
        MerchantRequestID: expect.stringMatching(
          /^([0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{16}|\d+-\d+-1)$/,
        ),
        CheckoutRequestID: expect.stringMatching(/^ws_CO_\d{17}(712345678|\d)$/),
        ResponseCode: "0",
        ResponseDescription: "Success. Request accepted for processing",
        CustomerMessage: "Success. Request accepted for processing",
      });
    }
    const ids = responses.map(({ json }) => String(json["CheckoutRequestID"]));
    expect(new Set(ids).size).toBe(8);
    expect(new Set(ids.map((id) => id.length))).toEqual(new Set([24, 32]));
  });

  it("is accepted with numbers as strings", async () => {
    const { status } = await merchant.push("254112345678", {
      BusinessShortCode: "174379",
      Amount: "1",
      PartyA: "254112345678",
      PartyB: "174379",
      PhoneNumber: "254112345678",
    });
    expect(status).toBe(200);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a short shortcode", { BusinessShortCode: 1743 }, "BusinessShortCode"],
    ["no password", { Password: undefined }, "Password"],
    ["a timestamp without time", { Timestamp: "20261121" }, "Timestamp"],
    ["a timestamp on the 31st of February", { Timestamp: "20260231101500" }, "Timestamp"],
    [
      "an unknown transaction type",
      { TransactionType: "CustomerPayBillOnline " },
      "TransactionType",
    ],
    ["an amount with cents", { Amount: 10.5 }, "Amount"],
    ["an amount of 0", { Amount: 0 }, "Amount"],
    ["a negative amount", { Amount: -5 }, "Amount"],
    ["an amount in words", { Amount: "ten" }, "Amount"],
    ["a payer without country code", { PartyA: "0712345678" }, "PartyA"],
    ["a landline number", { PhoneNumber: 254_202_345_678 }, "PhoneNumber"],
    ["a phone number with a plus sign", { PhoneNumber: "+254712345678" }, "PhoneNumber"],
    [
      "a plain http address that is not loopback",
      { CallBackURL: "http://example.com/c" },
      "CallBackURL",
    ],
    ["a callback address with a space", { CallBackURL: "https://example.com/c " }, "CallBackURL"],
    [
      "a callback address with the word mpesa",
      { CallBackURL: "https://example.com/MPesa/c" },
      "CallBackURL",
    ],
    ["no callback address", { CallBackURL: undefined }, "CallBackURL"],
    ["a reference of 13 characters", { AccountReference: "INV-000000001" }, "AccountReference"],
    ["an empty reference", { AccountReference: "" }, "AccountReference"],
    ["a description of 14 characters", { TransactionDesc: "a".repeat(14) }, "TransactionDesc"],
    ["a null reference", { AccountReference: null }, "Remarks"],
    ["a null description", { TransactionDesc: null }, "Remarks"],
  ])("is rejected for %s", async (_what, overrides, field) => {
    const before = simulator.prompts().length;
    const { status, json } = await merchant.push("254712345678", overrides);
    expect(status).toBe(400);
    expect(json).toEqual(darajaError("400.002.02", `Bad Request - Invalid ${field}`));
    expect(simulator.prompts()).toHaveLength(before);
  });

  it.each([
    ["an unknown shortcode", { BusinessShortCode: 999_999 }, "Merchant does not exist"],
    ["another passkey", { Password: btoa("174379other20261121101500") }, "Wrong credentials"],
    ["the passkey itself", { Password: sandboxMerchants.paybill.passkey }, "Wrong credentials"],
    ["another timestamp", { Timestamp: "20261121101501" }, "Wrong credentials"],
    [
      "another application's shortcode",
      {
        BusinessShortCode: sandboxMerchants.till.shortcode,
        Password: passwordFor(sandboxMerchants.till),
      },
      "Wrong credentials",
    ],
  ])("is rejected for %s", async (_what, overrides, message) => {
    const { status, json } = await merchant.push("254712345678", overrides);
    expect(status).toBe(500);
    expect(json).toEqual(darajaError("500.001.1001", message));
  });

  it("is rejected for an old timestamp when timestampSkewMinutes is set", async () => {
    simulator.change({ switches: { timestampSkewMinutes: 5 } });
    const { json } = await merchant.push("254712345678");
    simulator.change({ switches: { timestampSkewMinutes: 0 } });
    expect(json).toEqual(darajaError("400.002.02", "Bad Request - Invalid Timestamp"));
  });

  it.each([
    ["the wrong type", { TransactionType: "CustomerBuyGoodsOnline" }, "2028"],
    ["the wrong receiver", { PartyB: 174_380 }, "SFC_IC0003"],
    ["too much money", { Amount: 250_001 }, "3"],
  ])("with %s is accepted but not paid", async (_what, overrides, result) => {
    const { json } = await merchant.push("254712345678", overrides);
    expect(json["ResponseCode"]).toBe("0");
    const prompt = await eventually(() => {
      const found = findPrompt(json["CheckoutRequestID"]);
      return found?.result != null && found;
    });
    expect(prompt).toMatchObject({ result, paid: false, receipt: null });
  });

  it("of a till is paid to the till", async () => {
    const { till } = sandboxMerchants;
    await merchant.signIn(till.key, till.secret);
    const { json } = await merchant.push("254712345678", {
      BusinessShortCode: till.shortcode,
      Password: passwordFor(till),
      TransactionType: "CustomerBuyGoodsOnline",
      PartyB: till.receiver,
    });
    await eventually(() => expect(findPrompt(json["CheckoutRequestID"])?.paid).toBe(true));
    await merchant.signIn();
  });
});

function findPrompt(checkoutRequestId: unknown) {
  return simulator.prompts().find((prompt) => prompt.checkoutrequestid === checkoutRequestId);
}

describe("a request to an unknown path or method", () => {
  it.each([
    ["GET", "/mpesa/stkpush/v1/processrequest", 405, "405.001"],
    ["POST", "/oauth/v1/generate", 405, "405.001"],
    ["GET", "/nowhere", 404, "404.001.01"],
    ["GET", "/constructor", 404, "404.001.01"],
  ])("%s %s is answered with %i", async (method, path, status, code) => {
    const response = await send(simulator.url + path, { method });
    expect(response.status).toBe(status);
    expect(response.json).toEqual(darajaError(code, /./));
  });
});

describe("a payment", () => {
  it("is reported by callback, with the amount in cents, a balance without value and numeric fields", async () => {
    const { json } = await merchant.push("254712345699");
    const received = await eventually(
      () =>
        receiver.received.find(
          ({ callback }) => callback["CheckoutRequestID"] === json["CheckoutRequestID"],
        ) ?? false,
    );
    expect(received.path).toBe("/callbacks/stk/token-1");
    expect(received.text).toContain('{"Name":"Amount","Value":250.00}');
    const { receipt } = findPrompt(json["CheckoutRequestID"]) ?? {};
    expect(receipt).toMatch(/^[A-Z]{2}[A-Z0-9]{8}$/);
    expect(received.callback).toEqual({
      MerchantRequestID: json["MerchantRequestID"],
      CheckoutRequestID: json["CheckoutRequestID"],
      ResultCode: 0,
      ResultDesc: "The service request is processed successfully.",
      CallbackMetadata: {
        Item: [
          { Name: "Amount", Value: 250 },
          { Name: "MpesaReceiptNumber", Value: receipt },
          { Name: "Balance" },
          { Name: "TransactionDate", Value: expect.any(Number) },
          { Name: "PhoneNumber", Value: 254_712_345_699 },
        ],
      },
    });
  });

  it("is still processing for a query while the prompt is open, and reported without receipt later", async () => {
    simulator.change({ timing: { outcomeMs: 60_000 } });
    const { json } = await merchant.push("254712345688");
    const id = json["CheckoutRequestID"];
    const pending = await merchant.query(id);
    expect(pending.status).toBe(500);
    expect(pending.json).toEqual({
      requestId: id,
      errorCode: "500.001.1001",
      errorMessage: "The transaction is being processed",
    });
    simulator.change({ timing: { outcomeMs: 50 } });
    await merchant.post("/phone/press", { id, pin: "1234" });
    const finished = await merchant.query(id);
    expect(finished.json).toEqual({
      ResponseCode: "0",
      ResponseDescription: expect.any(String),
      MerchantRequestID: json["MerchantRequestID"],
      CheckoutRequestID: id,
      ResultCode: "0",
      ResultDesc: "The service request is processed successfully.",
    });
    expect(findPrompt(id)?.queries).toBe(2);
  });

  it("is unknown to a query of another merchant", async () => {
    const { json } = await merchant.push("254712345688");
    const { till } = sandboxMerchants;
    await merchant.signIn(till.key, till.secret);
    const response = await merchant.post("/mpesa/stkpushquery/v1/query", {
      BusinessShortCode: till.shortcode,
      Password: passwordFor(till),
      Timestamp: "20261121101500",
      CheckoutRequestID: json["CheckoutRequestID"],
    });
    await merchant.signIn();
    expect(response.json).toEqual(
      darajaError("400.002.02", "Bad Request - Invalid CheckoutRequestID"),
    );
    expect((await merchant.query("ws_CO_1")).json).toEqual(
      response.json && darajaError("400.002.02", /./),
    );
  });
});

const payAndGetResult = async (amount: number) => {
  const { json } = await merchant.push("254712000088", { Amount: amount });
  return eventually(() => findPrompt(json["CheckoutRequestID"])?.result ?? false);
};

describe("a switch", () => {
  it("subscriberLock refuses a request or ends it in 1001 while the phone has an open prompt", async () => {
    simulator.change({ timing: { outcomeMs: 20_000 }, switches: { subscriberLock: "refuse" } });
    expect((await merchant.push("254712000077")).status).toBe(200);
    const rejected = await merchant.push("254712000077");
    expect(rejected.json).toEqual(darajaError("500.001.1001", /^Unable to lock subscriber/));
    expect((await merchant.push("254712000078")).status).toBe(200);

    simulator.change({ timing: { outcomeMs: 50 }, switches: { subscriberLock: "callback" } });
    const { json } = await merchant.push("254712000077");
    simulator.change({ switches: { subscriberLock: "off" } });
    await eventually(() => expect(findPrompt(json["CheckoutRequestID"])?.result).toBe("1001"));
  });

  it("twoMinuteRule ends the same amount from the same phone in 17", async () => {
    simulator.change({ switches: { twoMinuteRule: true } });
    expect(await payAndGetResult(100)).toBe("0");
    expect(await payAndGetResult(100)).toBe("17");
    expect(await payAndGetResult(101)).toBe("0");
    simulator.change({ switches: { twoMinuteRule: false } });
  });

  it("callbackAttempts sends a callback again until it is answered with 200, and is 1 by default", async () => {
    receiver.status = 503;
    const sendCallbacks = async () => {
      const { json } = await merchant.push("254712000099");
      const id = json["CheckoutRequestID"];
      const expected = simulator.settings().switches.callbackAttempts;
      return eventually(() => {
        const callbacks = findPrompt(id)?.callbacks ?? [];
        return callbacks.filter(({ status }) => status === 503).length === expected && callbacks;
      });
    };
    expect(await sendCallbacks()).toHaveLength(1);
    simulator.change({ switches: { callbackAttempts: 3 } });
    expect(await sendCallbacks()).toHaveLength(3);
    simulator.change({ switches: { callbackAttempts: 1 } });
    receiver.status = 200;
  });
});
