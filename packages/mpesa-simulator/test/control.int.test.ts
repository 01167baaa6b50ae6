import { eventually, startSimulator } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { PromptRecord } from "../src/index.ts";
import { openCallbackReceiver } from "./callback-receiver.ts";
import { merchantAt, send } from "./merchant.ts";

const receiver = await openCallbackReceiver();
const simulator = await startSimulator({ keptMax: 40 });
const merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token`);
await merchant.signIn();
afterAll(() => receiver.close());

async function changeFaults(settings: unknown) {
  return send(`${simulator.url}/faults`, {
    method: "PUT",
    body: JSON.stringify(settings),
  });
}

async function listPrompts(query: string): Promise<{ prompts: PromptRecord[]; more: boolean }> {
  const { json } = await send(`${simulator.url}/prompts?${query}`);
  return json as unknown as { prompts: PromptRecord[]; more: boolean };
}

describe("GET /prompts", () => {
  it("lists every prompt in pages, filtered by phone and reference", async () => {
    for (const [phone, reference] of [
      ["254711000001", "A"],
      ["254711000002", "A"],
      ["254711000001", "B"],
    ] as const) {
      await merchant.push(phone, { AccountReference: reference, Amount: 75 });
    }
    await merchant.push("254700100001", { AccountReference: "A" });
    const { prompts, more } = await eventually(async () => {
      const page = await listPrompts("phone=254711000001");
      return page.prompts.every(({ callbacks }) => callbacks[0]?.status === 200) && page;
    });
    expect(more).toBe(false);
    expect(prompts.map(({ reference }) => reference)).toEqual(["A", "B"]);
    expect(prompts[0]).toEqual({
      checkoutrequestid: expect.stringMatching(/^ws_CO_/),
      merchantrequestid: expect.any(String),
      shortcode: "174379",
      phone: "254711000001",
      amount: 75,
      reference: "A",
      description: "Internet",
      callbackurl: `${receiver.url}/callbacks/stk/•••`,
      promptedat: expect.stringMatching(/Z$/),
      answer: "accepted",
      result: "0",
      endedat: expect.stringMatching(/Z$/),
      paid: true,
      receipt: expect.stringMatching(/^[A-Z0-9]{10}$/),
      queries: 0,
      callbacks: [
        {
          sentat: expect.stringMatching(/Z$/),
          says: "0",
          body: expect.stringContaining("stkCallback"),
          status: 200,
        },
      ],
    });
    expect((await listPrompts("reference=A")).prompts).toHaveLength(2);

    const first = await listPrompts("limit=2");
    expect(first).toMatchObject({ more: true });
    const after = first.prompts.at(-1)?.checkoutrequestid ?? "";
    const rest = await listPrompts(`after=${after}`);
    expect(rest.prompts.map(({ reference }) => reference)).toEqual(["B"]);
    expect(simulator.prompts()).toHaveLength(3);
  });

  it("shows no part of a callback address that could be its token", async () => {
    for (const [reference, url] of [
      ["SECRET-1", `${receiver.url}/callbacks/stk/secret?token=secret#secret`],
      ["SECRET-2", `${receiver.url.replace("//", "//user:secret@")}/secret`],
    ] as const) {
      await merchant.push("254711000003", { AccountReference: reference, CallBackURL: url });
    }
    const { text } = await send(`${simulator.url}/prompts?phone=254711000003`);
    expect(text).toContain("SECRET-2");
    expect(text).not.toContain("secret");
    expect(simulator.prompts().at(-2)?.callbackurl).toContain("/stk/secret?token=secret");
  });

  it.each(["limit=0", "limit=1001", "limit=x", "colour=red"])("rejects %s", async (query) => {
    expect((await send(`${simulator.url}/prompts?${query}`)).status).toBe(400);
  });

  it("lists the last 40 prompts when keptMax is 40", async () => {
    for (let nth = 0; nth < 50; nth += 1) await merchant.push(`2547120001${10 + nth}`);
    const kept = simulator.prompts();
    expect(kept).toHaveLength(40);
    expect(kept.at(-1)?.phone).toBe("254712000159");
    expect(simulator.requests()).toHaveLength(40);
    const forgotten = await send(`${simulator.url}/prompts?after=ws_CO_1`);
    expect(forgotten.status).toBe(404);
  });
});

it("GET /requests lists each request with its phone, reference and response status", async () => {
  simulator.change({ timing: { hangMs: 30 } });
  await expect(merchant.push("254700100201")).rejects.toThrow("fetch failed");
  await merchant.push("254700100100", { AccountReference: "B" });
  const { json } = await send(`${simulator.url}/requests`);
  expect((json["requests"] as unknown[]).slice(-2)).toEqual([
    {
      at: expect.any(String),
      method: "POST",
      path: "/mpesa/stkpush/v1/processrequest",
      status: null,
      phone: "254700100201",
      reference: "INV-000001",
    },
    {
      at: expect.any(String),
      method: "POST",
      path: "/mpesa/stkpush/v1/processrequest",
      status: 503,
      phone: "254700100100",
      reference: "B",
    },
  ]);
});

describe("/faults", () => {
  it("changes, shows and resets the settings over HTTP", async () => {
    const changed = await changeFaults({ random: { rates: { forged: 0.5 } } });
    expect(changed.status).toBe(200);
    const { json } = await send(`${simulator.url}/faults`);
    expect(json).toEqual(changed.json);
    expect(json["random"]).toMatchObject({ rates: { forged: 0.5, refused: 0 } });
    const reset = await send(`${simulator.url}/faults`, { method: "DELETE" });
    expect(reset.json["random"]).toMatchObject({ rates: { forged: 0 } });
    expect(reset.json["timing"]).toMatchObject({ outcomeMs: 20 });
  });

  it("names the invalid setting and changes nothing when a change is invalid", async () => {
    const before = simulator.settings();
    const { status, json } = await changeFaults({ random: { rates: { lost: 1 } } });
    expect(status).toBe(400);
    expect(json["error"]).toContain("random.rates");
    expect(simulator.settings()).toBe(before);
  });

  it("makes a phone behave like a magic number", async () => {
    await changeFaults({ phones: { "254711000009": "254700001032" } });
    await merchant.push("254711000009");
    await eventually(() => expect(simulator.prompts().at(-1)?.result).toBe("1032"));
    await changeFaults({ phones: {} });
    await merchant.push("254711000009");
    await eventually(() => expect(simulator.prompts().at(-1)?.result).toBe("0"));
  });

  it("makes random requests fail with a revoked token", async () => {
    await changeFaults({ random: { rates: { tokenRevoked: 1 } } });
    expect((await merchant.push("254711000009")).json["errorCode"]).toBe("404.001.03");
    await changeFaults({ random: { rates: 0 } });
    expect((await merchant.push("254711000009")).json["errorCode"]).toBe("404.001.03");
    await merchant.signIn();
    expect((await merchant.push("254711000009")).status).toBe(200);
  });

  it("makes random queries fail", async () => {
    const { json } = await merchant.push("254711000009");
    await changeFaults({ random: { rates: { queryFails: 1 } } });
    expect((await merchant.query(json["CheckoutRequestID"])).status).toBe(503);
    await changeFaults({ random: { rates: 0 } });
    expect((await merchant.query(json["CheckoutRequestID"])).text).not.toContain("<html>");
  });
});

it("genuine callbacks report success only for paid prompts when every fault happens at random", async () => {
  await merchant.signIn();
  await changeFaults({
    timing: { slowMs: 20, hangMs: 20, lateMs: 100, processingMs: 50 },
    random: { seed: 11, rates: { ...everyRate(0.25), tokenRevoked: 0 } },
  });
  const before = receiver.received.length;
  const pushes = await Promise.all(
    Array.from({ length: 36 }, (_, nth) =>
      merchant.push(`2547130000${10 + nth}`).then(
        ({ json }) => json["ResponseCode"],
        () => "no answer",
      ),
    ),
  );
  await changeFaults({ random: { rates: 0 } });
  expect(new Set(pushes)).toEqual(new Set(["0", "1", "no answer", undefined]));
  const prompts = await eventually(() => {
    const matching = simulator.prompts().filter(({ phone }) => phone.startsWith("25471300"));
    const areFinished = matching.every(({ result, callbacks }) => {
      return result !== null && callbacks.every(({ status }) => status === 200);
    });
    return areFinished && matching;
  });
  const byId = new Map(prompts.map((prompt) => [prompt.checkoutrequestid, prompt]));
  const genuine = receiver.received
    .slice(before)
    .filter(({ path }) => path.endsWith("/token"))
    .flatMap(({ callback }) => {
      const prompt = byId.get(String(callback["CheckoutRequestID"]));
      return prompt?.merchantrequestid === callback["MerchantRequestID"] && prompt
        ? [{ prompt, code: String(callback["ResultCode"]) }]
        : [];
    });
  expect(genuine.length).toBeGreaterThan(10);
  const reportedPaid = genuine.filter(({ code }) => code === "0");
  expect(reportedPaid.length).toBeGreaterThan(5);
  expect(reportedPaid.every(({ prompt }) => prompt.paid)).toBe(true);
});

function everyRate(rate: number): Record<string, number> {
  return Object.fromEntries(
    Object.keys(simulator.settings().random.rates).map((name) => [name, rate]),
  );
}
