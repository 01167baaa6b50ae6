import { sendRaw, startSimulator } from "@malipo/testing";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openCallbackReceiver } from "./callback-receiver.ts";
import { merchantAt, send } from "./merchant.ts";

const receiver = await openCallbackReceiver();
const simulator = await startSimulator();
const merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token`);
await merchant.signIn();
afterAll(() => receiver.close());

const errorBody = {
  requestId: expect.any(String),
  errorCode: expect.stringMatching(/^[45]\d\d\.\d{3}(\.\d{2,4})?$/),
  errorMessage: expect.stringMatching(/./),
};
const push = "/mpesa/stkpush/v1/processrequest";
const query = "/mpesa/stkpushquery/v1/query";
const settings = { seed: 20_261_121, numRuns: 150 };

const expectedWhenValid = { requestId: "1-1-1", errorCode: "400.002.02", errorMessage: "none" };
const fieldsThatAcceptMuch = new Set(["AccountReference", "TransactionDesc", "Amount"]);

describe("the simulator answers with an error body and keeps running", () => {
  it("when the body is random text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(push, query),
        fc.string({ unit: "binary" }),
        async (path, body) => {
          const { status, json } = await merchant.post(path, body);
          expect(status).toBe(400);
          expect(json).toEqual(errorBody);
        },
      ),
      settings,
    );
  });

  it("when one field has a random JSON value", async () => {
    const fields = Object.keys(merchant.pushBody("254712345678"));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), fc.jsonValue(), async (field, value) => {
        const { status, json } = await merchant.push("254712345678", { [field]: value });
        // Some random values are valid, for instance as a description.
        const isValid = status === 200 && fieldsThatAcceptMuch.has(field);
        expect(isValid ? expectedWhenValid : json).toEqual(errorBody);
      }),
      settings,
    );
  });

  it("when path and method are random", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
        fc.webPath({ size: "small" }),
        fc.webQueryParameters(),
        async (method, path, parameters) => {
          const response = await send(`${simulator.url}/nowhere${path}?${parameters}`, { method });
          expect(response.status).toBe(404);
          expect(response.json).toEqual(errorBody);
        },
      ),
      settings,
    );
  });

  it("when the credentials are random", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), async (text) => {
        const authorization = `Basic ${encodeURIComponent(text)}`;
        const address = `${simulator.url}/oauth/v1/generate?grant_type=client_credentials`;
        const { status, json } = await send(address, { headers: { authorization } });
        expect(status).toBe(400);
        expect(json).toEqual(errorBody);
      }),
      settings,
    );
  });

  it("when the body is too long or too deeply nested", async () => {
    const long = await merchant.post(push, "[".repeat(1024 * 1024 + 1));
    expect(long.status).toBe(413);
    expect(long.json).toEqual(errorBody);
    const deep = await merchant.post(push, "[".repeat(200_000) + "]".repeat(200_000));
    expect(deep.status).toBe(400);
    expect(deep.json).toEqual(errorBody);
  });

  it.each([
    ["bytes that are not HTTP", "hello\r\n\r\n", 400],
    [
      "an address that is not valid",
      "GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      404,
    ],
    [
      "an asterisk as address",
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      404,
    ],
  ])("when it receives %s", async (_what, bytes, status) => {
    const answers = await sendRaw(simulator.url, bytes);
    expect(JSON.stringify(answers)).toContain(String(status));
    expect((await send(`${simulator.url}/readyz`)).status).toBe(200);
  });
});

it("a callback that cannot be delivered does not stop the simulator", async () => {
  for (const url of [
    "http://127.0.0.1:1/c",
    "https://localhost:1/c",
    "http://127.0.0.1:9/%zz?#",
    "https://a.invalid/",
  ]) {
    expect((await merchant.push("254712345678", { CallBackURL: url })).status).toBe(200);
    expect((await merchant.push("254700100601", { CallBackURL: url })).status).toBe(200);
  }
  expect((await send(`${simulator.url}/readyz`)).status).toBe(200);
});
