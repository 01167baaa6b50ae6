import { sandboxMerchants } from "@malipo/contracts";
import { eventually } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSimulator, type Simulator } from "../src/index.ts";
import { type CallbackReceiver, openCallbackReceiver } from "./callback-receiver.ts";
import { hear, merchantAt, passwordFor } from "./merchant.ts";

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

const daraja = (code: string, message: string | RegExp) => ({
  requestId: expect.stringMatching(/^\d+-\d+-1$/),
  errorCode: code,
  errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
});

describe("an access token", () => {
  it("is given for the application's key and secret, and lives as long as a string says", async () => {
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
  ])("is refused for %s", async (_what, grant, authorization, code) => {
    const { status, json } = await hear(
      `${simulator.url}/oauth/v1/generate?grant_type=${grant}`,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(status).toBe(400);
    expect(json).toEqual(daraja(code, /^Invalid/));
  });

  it("ends the one before, and a token nobody knows is a 404", async () => {
    const first = (await merchant.signIn()).json["access_token"];
    const second = (await merchant.signIn()).json["access_token"];
    merchant.useToken(String(first));
    const refused = await merchant.push("254712000001");
    expect(refused.status).toBe(404);
    expect(refused.json).toEqual(daraja("404.001.03", "Invalid Access Token"));
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

describe("a request", () => {
  it("is accepted with ids of both forms in use", async () => {
    const phone = "254712345678";
    const heard = await Promise.all(Array.from({ length: 8 }, () => merchant.push(phone)));
    for (const { status, json } of heard) {
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
    const ids = heard.map(({ json }) => String(json["CheckoutRequestID"]));
    expect(new Set(ids).size).toBe(8);
    expect(new Set(ids.map((id) => id.length))).toEqual(new Set([24, 32]));
  });

  it("may write its numbers as strings", async () => {
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
    ["a date alone", { Timestamp: "20261121" }, "Timestamp"],
    ["the 31st of February", { Timestamp: "20260231101500" }, "Timestamp"],
    ["a made-up type", { TransactionType: "CustomerPayBillOnline " }, "TransactionType"],
    ["cents", { Amount: 10.5 }, "Amount"],
    ["nothing", { Amount: 0 }, "Amount"],
    ["less than nothing", { Amount: -5 }, "Amount"],
    ["an amount in words", { Amount: "ten" }, "Amount"],
    ["a payer without a country", { PartyA: "0712345678" }, "PartyA"],
    ["a landline", { PhoneNumber: 254_202_345_678 }, "PhoneNumber"],
    ["a plus sign", { PhoneNumber: "+254712345678" }, "PhoneNumber"],
    ["plain http to elsewhere", { CallBackURL: "http://example.com/c" }, "CallBackURL"],
    ["a space in the address", { CallBackURL: "https://example.com/c " }, "CallBackURL"],
    ["the provider's name", { CallBackURL: "https://example.com/MPesa/c" }, "CallBackURL"],
    ["no address", { CallBackURL: undefined }, "CallBackURL"],
    ["thirteen characters", { AccountReference: "INV-000000001" }, "AccountReference"],
    ["no reference", { AccountReference: "" }, "AccountReference"],
    ["fourteen characters", { TransactionDesc: "a".repeat(14) }, "TransactionDesc"],
    ["a null reference", { AccountReference: null }, "Remarks"],
    ["a null description", { TransactionDesc: null }, "Remarks"],
  ])("is refused for %s", async (_what, different, field) => {
    const before = simulator.prompts().length;
    const { status, json } = await merchant.push("254712345678", different);
    expect(status).toBe(400);
    expect(json).toEqual(daraja("400.002.02", `Bad Request - Invalid ${field}`));
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
  ])("is refused for %s", async (_what, different, message) => {
    const { status, json } = await merchant.push("254712345678", different);
    expect(status).toBe(500);
    expect(json).toEqual(daraja("500.001.1001", message));
  });

  it("is timed when asked to be", async () => {
    simulator.change({ switches: { timestampSkewMinutes: 5 } });
    const { json } = await merchant.push("254712345678");
    simulator.change({ switches: { timestampSkewMinutes: 0 } });
    expect(json).toEqual(daraja("400.002.02", "Bad Request - Invalid Timestamp"));
  });

  it.each([
    ["the wrong type", { TransactionType: "CustomerBuyGoodsOnline" }, "2028"],
    ["the wrong receiver", { PartyB: 174_380 }, "SFC_IC0003"],
    ["too much money", { Amount: 250_001 }, "3"],
  ])("with %s is accepted and comes to nothing", async (_what, different, result) => {
    const { json } = await merchant.push("254712345678", different);
    expect(json["ResponseCode"]).toBe("0");
    const prompt = await eventually(() => {
      const of = promptOf(json["CheckoutRequestID"]);
      return of?.result != null && of;
    });
    expect(prompt).toMatchObject({ result, paid: false, receipt: null });
  });

  it("of a till goes to the till", async () => {
    const { till } = sandboxMerchants;
    await merchant.signIn(till.key, till.secret);
    const { json } = await merchant.push("254712345678", {
      BusinessShortCode: till.shortcode,
      Password: passwordFor(till),
      TransactionType: "CustomerBuyGoodsOnline",
      PartyB: till.receiver,
    });
    await eventually(() => expect(promptOf(json["CheckoutRequestID"])?.paid).toBe(true));
    await merchant.signIn();
  });
});

function promptOf(checkoutRequestId: unknown) {
  return simulator.prompts().find((prompt) => prompt.checkoutrequestid === checkoutRequestId);
}

describe("elsewhere", () => {
  it.each([
    ["GET", "/mpesa/stkpush/v1/processrequest", 405, "405.001"],
    ["POST", "/oauth/v1/generate", 405, "405.001"],
    ["GET", "/nowhere", 404, "404.001.01"],
    ["GET", "/constructor", 404, "404.001.01"],
  ])("%s %s is %i", async (method, path, status, code) => {
    const heard = await hear(simulator.url + path, { method });
    expect(heard.status).toBe(status);
    expect(heard.json).toEqual(daraja(code, /./));
  });
});

describe("a payment", () => {
  it("is told by callback, with cents, a nameless balance and numbers as numbers", async () => {
    const { json } = await merchant.push("254712345699");
    const heard = await eventually(
      () =>
        receiver.received.find(
          ({ callback }) => callback["CheckoutRequestID"] === json["CheckoutRequestID"],
        ) ?? false,
    );
    expect(heard.path).toBe("/callbacks/stk/token-1");
    expect(heard.text).toContain('{"Name":"Amount","Value":250.00}');
    const { receipt } = promptOf(json["CheckoutRequestID"]) ?? {};
    expect(receipt).toMatch(/^[A-Z]{2}[A-Z0-9]{8}$/);
    expect(heard.callback).toEqual({
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

  it("is pending to a query under the question's own id, then told without a receipt", async () => {
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
    expect(promptOf(id)?.queries).toBe(2);
  });

  it("is another merchant's to a query of somebody else", async () => {
    const { json } = await merchant.push("254712345688");
    const { till } = sandboxMerchants;
    await merchant.signIn(till.key, till.secret);
    const heard = await merchant.post("/mpesa/stkpushquery/v1/query", {
      BusinessShortCode: till.shortcode,
      Password: passwordFor(till),
      Timestamp: "20261121101500",
      CheckoutRequestID: json["CheckoutRequestID"],
    });
    await merchant.signIn();
    expect(heard.json).toEqual(daraja("400.002.02", "Bad Request - Invalid CheckoutRequestID"));
    expect((await merchant.query("ws_CO_1")).json).toEqual(heard.json && daraja("400.002.02", /./));
  });
});

const resultOf = async (amount: number) => {
  const { json } = await merchant.push("254712000088", { Amount: amount });
  return eventually(() => promptOf(json["CheckoutRequestID"])?.result ?? false);
};

describe("the switches", () => {
  it("lock a subscriber whose prompt is open, by a refusal or by callback", async () => {
    simulator.change({ timing: { outcomeMs: 20_000 }, switches: { subscriberLock: "refuse" } });
    expect((await merchant.push("254712000077")).status).toBe(200);
    const refused = await merchant.push("254712000077");
    expect(refused.json).toEqual(daraja("500.001.1001", /^Unable to lock subscriber/));
    expect((await merchant.push("254712000078")).status).toBe(200);

    simulator.change({ timing: { outcomeMs: 50 }, switches: { subscriberLock: "callback" } });
    const { json } = await merchant.push("254712000077");
    simulator.change({ switches: { subscriberLock: "off" } });
    await eventually(() => expect(promptOf(json["CheckoutRequestID"])?.result).toBe("1001"));
  });

  it("refuse the same amount from the same phone within two minutes", async () => {
    simulator.change({ switches: { twoMinuteRule: true } });
    expect(await resultOf(100)).toBe("0");
    expect(await resultOf(100)).toBe("17");
    expect(await resultOf(101)).toBe("0");
    simulator.change({ switches: { twoMinuteRule: false } });
  });

  it("send a callback again that is not answered with 200, once unless told", async () => {
    receiver.status = 503;
    const sent = async () => {
      const { json } = await merchant.push("254712000099");
      const id = json["CheckoutRequestID"];
      const expected = simulator.settings().switches.callbackAttempts;
      return eventually(() => {
        const callbacks = promptOf(id)?.callbacks ?? [];
        return callbacks.filter(({ status }) => status === 503).length === expected && callbacks;
      });
    };
    expect(await sent()).toHaveLength(1);
    simulator.change({ switches: { callbackAttempts: 3 } });
    expect(await sent()).toHaveLength(3);
    simulator.change({ switches: { callbackAttempts: 1 } });
    receiver.status = 200;
  });
});
