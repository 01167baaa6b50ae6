import type { EventOf } from "@malipo/contracts";
import { cents, centsToShillings, minuteMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import {
  crashAtEachWrite,
  freshNamespace,
  startSimulator,
  startStoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { onPaymentCompleted } from "../src/handlers/events/on-payment-completed.ts";
import { assignSuspense } from "../src/handlers/operations/assign-suspense.ts";
import { noPurpose } from "../src/domain/transaction/transaction.ts";
import { noVisitor } from "../src/domain/visitor.ts";
import { applyCallbacks } from "../src/workflows/apply-callbacks.ts";
import { createTransaction } from "../src/workflows/create-transaction.ts";
import type { Bill } from "../src/workflows/find-bill.ts";
import { payBill } from "../src/workflows/pay-bill.ts";
import { callbackAbout, outcomes, type ReportedOutcome } from "./callback-about.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);

/** A worker that dies at writes, and a fresh one over the same store. */
const proxy = await startStoreProxy(servers.mongodbUri);
afterAll(() => proxy.close());
const env = { NAMESPACE: freshNamespace() };
const proxied = { ...servers, mongodbUri: proxy.mongodbUri };
const { deps: dyingDeps, prompted: promptedByDying } = await openPayments(
  proxied,
  simulator.url,
  env,
  afterAll,
);
const dying = withoutWaiting(dyingDeps);
const fresh = await openPayments(servers, simulator.url, env, afterAll);
const count = async (name: string, filter: object) =>
  fresh.deps.service.store.db.collection(name).countDocuments(filter);
// Both fetch their token, so that it is not a part of the workflows.
await promptedByDying(nextPhone());
await fresh.prompted(nextPhone());

/** A dead process does not wait for the store: as at a shutdown, the answer of the provider is lost. */
function withoutWaiting(deps: Deps): Deps {
  const shutdown = { ...deps.service.shutdown, signal: AbortSignal.abort() };
  return { ...deps, service: { ...deps.service, shutdown } };
}

const requestOf = (now: Date, operationid: string) => ({
  businessid,
  cause: { now, operationid },
  deadline: new Date(now.getTime() + 30_000),
});

const order = (phone: string) => ({ amount: cents(10_000), phone });

describe("a worker that dies at any write of a request", () => {
  it("leaves one transaction and at most one prompt, and its holds expire", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => ({ phone: nextPhone(), operation: newId() }),
      run: async ({ phone, operation }) => {
        const context = requestOf(fresh.clock.now(), operation);
        const answer = await createTransaction(dying, context, order(phone));
        if (!answer.ok) throw new Error(answer.error.code);
      },
      runAgain: async ({ phone, operation }) => {
        const context = requestOf(fresh.clock.now(), operation);
        await createTransaction(fresh.deps, context, order(phone));
      },
      check: async ({ phone, operation }) => {
        expect(promptsOf(phone).length).toBeLessThanOrEqual(1);
        expect(await count("transactions", { phone })).toBe(1);
        const found = await fresh.deps.transactions.findByOperation(businessid, operation);
        // It is either prompted, or stays pending with an unknown outcome, but it is never sent again.
        const isPrompted = found?.entity.state === "prompted" && promptsOf(phone).length === 1;
        expect(isPrompted || found?.entity.state === "calling").toBe(true);
        const { clock } = fresh;
        clock.advance(3 * minuteMs);
        expect(await fresh.deps.phoneHolds.hold(phone, "another")).toBe(true);
        clock.advance(-3 * minuteMs);
      },
    });
    expect(points.map(({ write }) => write.collection)).toEqual(
      ["phoneholds", "transactions", "transactions"].flatMap((each) => [each, each]),
    );
  });

  it("does the same for a page, and counts its attempt once", async () => {
    const linkid = newId();
    const bill: Bill = {
      code: "",
      businessid,
      business: "Duka la Asha",
      status: "active",
      title: "School fees",
      description: null,
      owed: null,
      partpayment: true,
      debt: { owed: cents(100_000), counted: [] },
      linkid,
      customerphone: null,
      purpose: { ...noPurpose, paymentlinkid: linkid },
      referenceid: null,
    };
    const pay = async (deps: Deps, phone: string, attempt: string) =>
      payBill(
        deps,
        { ...bill, linkid: attempt, purpose: { ...noPurpose, paymentlinkid: attempt } },
        { attempt, phone, shillings: 100, ...noVisitor },
        requestOf(fresh.clock.now(), attempt),
      );
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => ({ phone: nextPhone(), attempt: newId() }),
      run: async ({ phone, attempt }) => {
        const answer = await pay(dying, phone, attempt);
        if (!answer.ok) throw new Error(answer.error.code);
      },
      runAgain: async ({ phone, attempt }) => pay(fresh.deps, phone, attempt),
      check: async ({ phone, attempt }) => {
        expect(promptsOf(phone).length).toBeLessThanOrEqual(1);
        expect(await count("transactions", { phone })).toBe(1);
        expect(await count("promptallowances", { "taken.attempt": attempt })).toBe(2);
        expect(await count("promptallowances", { "taken.1.attempt": attempt })).toBe(0);
        const reserved = await fresh.deps.service.store.db
          .collection("reservations")
          .findOne<{ held: unknown[] }>({ "held.holder": attempt });
        expect(reserved?.held).toHaveLength(1);
      },
    });
    expect(new Set(points.map(({ write }) => write.collection))).toEqual(
      new Set(["promptallowances", "phoneholds", "reservations", "transactions"]),
    );
  });
});

/** The collections that the callback writes, in order, and how the transactions ended. */
async function crashOn(outcome: ReportedOutcome, isEarlierPaid = false) {
  const ends: object[] = [];
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => {
      const phone = nextPhone();
      const id = await fresh.prompted(phone);
      if (isEarlierPaid) await fresh.report(id, outcomes.pays);
      const message = callbackAbout(await fresh.read(id), outcome);
      return { id, phone, message };
    },
    run: async ({ message }) => applyCallbacks(dying)([message]),
    runAgain: async ({ message }) => applyCallbacks(fresh.deps)([message]),
    check: async ({ id, phone, message }) => {
      const found = await fresh.read(id);
      const types = await fresh.eventsOf(id);
      const suspense = await count("suspense", { transactionid: id });
      expect(await count("callbacks", { _id: message.id as never })).toBe(1);
      expect(await count("momoreceipts", { transactionid: id })).toBe(
        found.momoreceiptnumber === null ? 0 : 1,
      );
      expect(await count("transactions", { phone })).toBe(1);
      ends.push({ state: found.state, inSuspense: found.inSuspense, suspense, types });
      fresh.clock.advance(3 * minuteMs);
      expect(await fresh.deps.phoneHolds.hold(phone, "another")).toBe(true);
      fresh.clock.advance(-3 * minuteMs);
    },
  });
  const written = points.map(({ write }) => write.collection);
  return { written: written.filter((_, index) => index % 2 === 0), ends };
}

const expectEach = (ends: readonly object[], end: object) =>
  expect(ends).toEqual(ends.map(() => end));

describe("a worker that dies at any write of a callback", () => {
  const initiated = "payment.initiated";

  it("counts a payment once, with one receipt number and one event", async () => {
    const { written, ends } = await crashOn(outcomes.pays);
    expect(written).toEqual(["callbacks", "momoreceipts", "transactions", "phoneholds"]);
    const types = [initiated, "payment.completed"];
    expectEach(ends, { state: "completed", inSuspense: false, suspense: 0, types });
  });

  it("keeps one suspense entry for money of a wrong amount", async () => {
    const { written, ends } = await crashOn({ ...outcomes.pays, amount: 77 });
    expectEach(ends, { state: "prompted", inSuspense: true, suspense: 1, types: [initiated] });
    expect(written).toEqual(["callbacks", "suspense", "transactions"]);
  });

  it("keeps one suspense entry for a second payment", async () => {
    const { written, ends } = await crashOn(outcomes.pays, true);
    expect(written).toContain("suspense");
    const types = [initiated, "payment.completed"];
    expectEach(ends, { state: "completed", inSuspense: false, suspense: 1, types });
  });

  it("ends a cancelled payment once", async () => {
    const { ends } = await crashOn(outcomes.cancels);
    const types = [initiated, "payment.failed"];
    expectEach(ends, { state: "cancelled", inSuspense: false, suspense: 0, types });
  });
});

describe("a worker that dies at any write after a completed payment", () => {
  it("issues one receipt and closes the link", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        const id = await fresh.prompted(nextPhone());
        await fresh.report(id, outcomes.pays);
        const linkid = await insertLink(fresh.deps, fresh.clock.now());
        const { amount, phone } = await fresh.read(id);
        return {
          recordid: id,
          businessid,
          at: fresh.clock.now().toISOString(),
          data: { amount: centsToShillings(amount), phone, momoreceiptnumber: null },
          inside: { ...noPurpose, paymentlinkid: linkid },
        } as unknown as EventOf<"payment.completed">;
      },
      run: async (event) => onPaymentCompleted(dying)([event]),
      runAgain: async (event) => onPaymentCompleted(fresh.deps)([event]),
      check: async ({ recordid, inside, data }) => {
        const receipt = await fresh.deps.receipts.find(businessid, recordid);
        const { momoreceiptnumber } = await fresh.read(recordid);
        expect(receipt?.entity).toMatchObject({ phone: data.phone, momoreceiptnumber });
        expect(await count("receipts", { phone: data.phone })).toBe(1);
        const link = await fresh.deps.links.find(businessid, inside.paymentlinkid ?? "");
        expect(link?.entity.status).toBe("paid");
      },
    });
    expect(points.length).toBeGreaterThan(0);
  });
});

async function insertLink({ links }: Deps, now: Date): Promise<string> {
  const id = newId();
  await links.insert(
    {
      id,
      businessid,
      owner: "standalone",
      code: id,
      title: "School fees",
      description: null,
      amount: null,
      reusable: false,
      expiresat: null,
      referenceid: null,
      invoiceid: null,
      subscriptionid: null,
      status: "active",
      heardseq: 0,
      createdat: now,
      updatedat: now,
    },
    [],
    { now },
  );
  return id;
}

const assign = async (deps: Deps, { entry, to }: { entry: string; to: string }) =>
  assignSuspense(deps)({
    params: { id: entry },
    body: { transactionid: to, note: "asked" },
  } as Parameters<ReturnType<typeof assignSuspense>>[0]);

describe("a worker that dies at any write of an assignment", () => {
  it("counts the money of a suspense entry once, and closes the entry", async () => {
    await crashAtEachWrite(proxy, {
      prepare: async () => {
        const [from, to] = [await fresh.prompted(nextPhone()), await fresh.prompted(nextPhone())];
        await fresh.report(from, { ...outcomes.pays, amount: 77 });
        const { entries } = await fresh.deps.suspense.page("open", { page: 1, limit: 100 });
        const entry = entries.find(({ transactionid }) => transactionid === from)?.id ?? "";
        return { from, to, entry };
      },
      run: async (subject) => assign(dying, subject),
      runAgain: async (subject) => assign(fresh.deps, subject),
      check: async ({ from, to, entry }) => {
        expect(await fresh.read(to)).toMatchObject({ state: "completed", assigned: entry });
        expect(await fresh.read(from)).toMatchObject({ state: "failed", inSuspense: false });
        expect(await fresh.eventsOf(to)).toEqual(["payment.initiated", "payment.completed"]);
        expect(await fresh.deps.suspense.find(entry)).toMatchObject({
          status: "assigned",
          assignedto: to,
        });
      },
    });
  });
});
