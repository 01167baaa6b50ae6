// What real projects got wrong with M-Pesa, where it takes a server to show; the others are in
// src/providers/daraja/mistakes.unit.test.ts, and the callback's route in callbacks.e2e.test.ts.
import { newId } from "@malipo/platform";
import { eventually, startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { hearCallback } from "../src/domain/transaction/callback.ts";
import { carryOut } from "../src/workflows/apply-decision.ts";
import { nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator();
const open = (env = {}) => openPayments(servers, simulator.url, env);

const requestsTo = (path: string) =>
  simulator.requests().filter((each) => each.path.includes(path));
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
const ended = async (phone: string) =>
  eventually(() => expect(promptsOf(phone).at(-1)?.result).not.toBeNull());

describe("the mistakes of others", () => {
  it("1: a lost callback loses no payment", async () => {
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

  it("1: nor does a lost callback hide a cancellation, two minutes later", async () => {
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
    "5: after %s (%s) nothing is sent again, however often it is asked",
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

  it("6: one token for all, also of several workers, and a new one before it ends", async () => {
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
    "6: a token that ended early is fetched anew, once, and nobody notices (%s)",
    async (phone) => {
      const { request } = await open();
      const fetched = requestsTo("oauth").length;
      expect((await request(phone)).ok).toBe(true);
      expect(requestsTo("oauth").length - fetched).toBe(2);
    },
  );

  it("7: a token that is never taken is said so, without going round in circles", async () => {
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
    "4: a payment nobody can tell of stays pending for a day, then somebody is called (%s)",
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

describe("a provider that is not there", () => {
  it("sends nothing, and says so", async () => {
    const { request, deps } = await openPayments(servers, "http://127.0.0.1:9");
    const operation = newId();
    const phone = nextPhone();
    const answer = await request(phone, operation);
    expect(answer).toMatchObject({ ok: false, error: { code: "provider_unreachable" } });
    const saved = await deps.transactions.madeBy("6743f1b2c9e8a45d3f0b7c22", operation);
    expect(saved?.entity).toMatchObject({ state: "saved" });
    expect(await request(phone)).toMatchObject({ error: { code: "provider_unreachable" } });
  });

  it("is waited for a quarter of an hour; then its payment has failed, and its key is free", async () => {
    const { request, pass, read, deps } = await openPayments(servers, "http://127.0.0.1:9");
    const operation = newId();
    const phone = nextPhone();
    await request(phone, operation);
    const saved = await deps.transactions.madeBy("6743f1b2c9e8a45d3f0b7c22", operation);
    await pass(14 * 60);
    expect((await read(saved?.entity.id ?? "")).state).toBe("saved");
    await pass(61);
    expect(await read(saved?.entity.id ?? "")).toMatchObject({
      state: "failed",
      reason: "not_sent",
    });
    expect(await request(phone, operation)).toMatchObject({ error: { code: "conflict" } });
  });
});

describe("a receipt number that a stranger claims", () => {
  it("stays with the payment it belongs to, also when the claimed one is found paid", async () => {
    const { prompted, read, pass, deps } = await open();
    const phone = "254700100300";
    const id = await prompted(phone);
    await ended(phone);
    expect(await deps.momoReceipts.claim("UKL7A1B2C3", newId())).toBe(true);
    const { checkoutrequestid, merchantrequestid } = await read(id);
    const callback = {
      checkoutrequestid: checkoutrequestid ?? "",
      merchantrequestid: merchantrequestid ?? "",
      code: "0",
      amount: null,
      receiptnumber: "UKL7A1B2C3",
    };
    const stranger = { trusted: false, receipttaken: false };
    await carryOut(deps, id, (present, now) => hearCallback(present, callback, stranger, now));
    expect(await read(id)).toMatchObject({ claimedreceipt: "UKL7A1B2C3" });
    await pass(2);
    expect(await read(id)).toMatchObject({ state: "completed", momoreceiptnumber: null });
  });
});

describe("several workers", () => {
  it("ask about a payment once each time it is due", async () => {
    const { prompted, deps, clock } = await open();
    const phone = "254700100402";
    await prompted(phone);
    const asked = requestsTo("stkpushquery").length;
    clock.advance(15_001);
    const { reconcileOnce } = await import("../src/jobs/reconcile-transactions.ts");
    await Promise.all(Array.from({ length: 5 }, async () => reconcileOnce(deps)));
    expect(requestsTo("stkpushquery").length - asked).toBe(1);
  });
});

describe("what is held", () => {
  it("is one prompt a phone, until it ends or three minutes have passed", async () => {
    const { request, clock } = await open();
    const phone = nextPhone();
    expect((await request(phone)).ok).toBe(true);
    expect(await request(phone)).toMatchObject({ error: { code: "phone_busy" } });
    clock.advance(3 * 60_000 + 1);
    expect((await request(phone)).ok).toBe(true);
  });
});
