// Mistakes that real projects made with M-Pesa, by number (see the README), as far as they need servers. The
// others are in src/providers/daraja/mistakes.unit.test.ts, and number 2 is in callbacks.e2e.test.ts.
import { newId } from "@malipo/platform";
import { eventually, startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { receiveCallback } from "../src/domain/transaction/callback.ts";
import { reconcileBatch } from "../src/jobs/reconcile-transactions.ts";
import { applyDecision } from "../src/workflows/apply-decision.ts";
import { nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator();
const open = (env = {}) => openPayments(servers, simulator.url, env);

const requestsTo = (path: string) =>
  simulator.requests().filter((each) => each.path.includes(path));
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
const ended = async (phone: string) =>
  eventually(() => expect(promptsOf(phone).at(-1)?.result).not.toBeNull());

describe("mistakes of other M-Pesa projects", () => {
  it("1: a payment whose callback is lost is completed by a query", async () => {
    const { prompted, read, pass, eventsOf } = await open();
    const phone = "254700100300";
    const id = await prompted(phone);
    await ended(phone);
    await pass(14);
    expect(await read(id)).toMatchObject({ state: "prompted" });
    await pass(2);
    expect(await read(id)).toMatchObject({ state: "prompted", paidsince: expect.any(Date) });
    await pass(60);
    expect(await read(id)).toMatchObject({ state: "completed", momoreceiptnumber: null });
    expect(await eventsOf(id)).toEqual(["payment.initiated", "payment.completed"]);
  });

  it("1: a cancellation whose callback is lost is found by a query after two minutes", async () => {
    const { prompted, read, pass } = await open();
    const phone = "254700100301";
    const id = await prompted(phone);
    await ended(phone);
    await pass(115);
    expect(await read(id)).toMatchObject({ state: "prompted" });
    await pass(10);
    expect(await read(id)).toMatchObject({ state: "cancelled", reason: "cancelled_by_payer" });
  });

  it.each([
    ["254700100200", "cut", 0],
    ["254700100203", "cut", 1],
    ["254700100204", "a page", 1],
    ["254700100205", "an error", 1],
    ["254700100206", "half an answer", 1],
    ["254700100209", "another page", 1],
  ])(
    "5: a prompt with an unknown outcome is never sent again (phone %s, answer: %s)",
    async (phone, _, rang) => {
      const { request } = await open();
      const before = promptsOf(phone).length;
      const sent = requestsTo("stkpush/").length;
      const operation = newId();
      for (let tries = 0; tries < 3; tries += 1) {
        const answer = await request(phone, operation);
        expect(answer).toMatchObject({ ok: false, error: { code: "outcome_unknown" } });
      }
      expect(promptsOf(phone).length - before).toBe(rang);
      expect(requestsTo("stkpush/").length - sent).toBe(1);
    },
  );

  it("6: concurrent requests share one token, and a new one is fetched before it expires", async () => {
    const { request, clock } = await open();
    const fetched = requestsTo("oauth").length;
    const answers = await Promise.all(Array.from({ length: 20 }, async () => request(nextPhone())));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(requestsTo("oauth").length - fetched).toBe(1);
    clock.advance(3_599_000 - 61_000);
    expect((await request(nextPhone())).ok).toBe(true);
    expect(requestsTo("oauth").length - fetched).toBe(1);
    clock.advance(2_000);
    expect((await request(nextPhone())).ok).toBe(true);
    expect(requestsTo("oauth").length - fetched).toBe(2);
  });

  it.each([["254700100110"], ["254700100111"], ["254700100112"], ["254700100113"]])(
    "6: a token that ended early is replaced once, and the prompt succeeds (phone %s)",
    async (phone) => {
      const { request } = await open();
      const fetched = requestsTo("oauth").length;
      expect((await request(phone)).ok).toBe(true);
      expect(requestsTo("oauth").length - fetched).toBe(2);
    },
  );

  it("7: a token that is always refused is reported after one retry", async () => {
    const { request } = await open();
    const sent = requestsTo("stkpush/").length;
    const answer = await request("254700100114");
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: "provider_unreachable",
        details: expect.stringMatching(/Invalid Access Token/),
      },
    });
    expect(requestsTo("stkpush/").length - sent).toBe(2);
  });

  it.each([["254700100402"], ["254700100405"], ["254700100406"], ["254700100409"]])(
    "4: a payment without any outcome stays pending for a day, then fails as unresolved (phone %s)",
    async (phone) => {
      const { prompted, read, pass } = await open();
      const id = await prompted(phone);
      await ended(phone);
      await pass(86_000);
      expect(await read(id)).toMatchObject({ state: "prompted" });
      await pass(3_000);
      expect(await read(id)).toMatchObject({ state: "failed", reason: "unresolved" });
    },
  );
});

describe("an unreachable provider", () => {
  it("leaves the transaction unsent, and the answer is provider_unreachable", async () => {
    const { request, deps } = await openPayments(servers, "http://127.0.0.1:9");
    const operation = newId();
    const phone = nextPhone();
    const answer = await request(phone, operation);
    expect(answer).toMatchObject({ ok: false, error: { code: "provider_unreachable" } });
    const found = await deps.transactions.findByOperation("6743f1b2c9e8a45d3f0b7c22", operation);
    expect(found?.entity).toMatchObject({ state: "unsent" });
    expect(await request(phone)).toMatchObject({ error: { code: "provider_unreachable" } });
  });

  it("fails the transaction as not_sent after fifteen minutes, and the same operation gets a conflict", async () => {
    const { request, pass, read, deps } = await openPayments(servers, "http://127.0.0.1:9");
    const operation = newId();
    const phone = nextPhone();
    await request(phone, operation);
    const found = await deps.transactions.findByOperation("6743f1b2c9e8a45d3f0b7c22", operation);
    await pass(14 * 60);
    expect((await read(found?.entity.id ?? "")).state).toBe("unsent");
    await pass(61);
    expect(await read(found?.entity.id ?? "")).toMatchObject({
      state: "failed",
      reason: "not_sent",
    });
    expect(await request(phone, operation)).toMatchObject({ error: { code: "conflict" } });
  });
});

describe("a receipt number in a callback from an untrusted address", () => {
  it("stays with the payment it belongs to when a query finds the other payment paid", async () => {
    const { prompted, read, pass, deps } = await open();
    const phone = "254700100300";
    const id = await prompted(phone);
    await ended(phone);
    expect(await deps.momoReceipts.claim("UKL7A1B2C3", newId())).toBe(true);
    const { checkoutrequestid, merchantrequestid } = await read(id);
    const callback = {
      checkoutrequestid: checkoutrequestid ?? "",
      merchantrequestid: merchantrequestid ?? "",
      result: "paid" as const,
      code: "0",
      amount: null,
      receiptnumber: "UKL7A1B2C3",
    };
    const untrusted = { trusted: false, isReceiptTaken: false };
    await applyDecision(deps, id, (present, now) =>
      receiveCallback(present, callback, untrusted, now),
    );
    expect(await read(id)).toMatchObject({ unconfirmedreceipt: "UKL7A1B2C3" });
    await pass(2);
    expect(await read(id)).toMatchObject({ state: "completed", momoreceiptnumber: null });
  });
});

describe("reconciliation in several processes", () => {
  it("queries a due payment once", async () => {
    const { prompted, deps, clock } = await open();
    const phone = "254700100402";
    await prompted(phone);
    const asked = requestsTo("stkpushquery").length;
    clock.advance(15_001);
    await Promise.all(Array.from({ length: 5 }, async () => reconcileBatch(deps)));
    expect(requestsTo("stkpushquery").length - asked).toBe(1);
  });
});

describe("the hold on a phone", () => {
  it("allows one prompt until it ends or three minutes have passed", async () => {
    const { request, clock } = await open();
    const phone = nextPhone();
    expect((await request(phone)).ok).toBe(true);
    expect(await request(phone)).toMatchObject({ error: { code: "phone_busy" } });
    clock.advance(3 * 60_000 + 1);
    expect((await request(phone)).ok).toBe(true);
  });
});
