import { addMs, cents, minuteMs } from "@malipo/core";
import { newId, VersionConflict } from "@malipo/platform";
import {
  freshNamespace,
  startSimulator,
  startStoreProxy,
  useSharedServers,
  type WritePattern,
} from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { allowanceOfPhone } from "../src/domain/prompt/prompt-allowance.ts";
import { createTransaction } from "../src/workflows/create-transaction.ts";
import { outcomes } from "./callback-about.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const proxy = await startStoreProxy(servers.mongodbUri);
afterAll(() => proxy.close());
const env = { NAMESPACE: freshNamespace() };
/** A worker whose writes a test holds, and a faster one. */
const slow = await openPayments(
  { ...servers, mongodbUri: proxy.mongodbUri },
  simulator.url,
  env,
  afterAll,
);
const fast = await openPayments(servers, simulator.url, env, afterAll);
await slow.prompted(nextPhone());
await fast.prompted(nextPhone());

const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
const count = async (name: string, filter: object) =>
  fast.deps.service.store.db.collection(name).countDocuments(filter);

/** Does the work with the slow worker. The other acts before its first write to the collection. */
async function beaten<T>(
  pattern: WritePattern,
  act: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const acted = proxy.interrupt({ side: "before", pattern }, act);
  const [done] = await Promise.all([work(), acted]);
  return done;
}

describe("when another writer wins before the write of a transaction", () => {
  it("a repeated request sends one prompt", async () => {
    const [phone, operation] = [nextPhone(), newId()];
    const answer = await beaten(
      { collection: "transactions", command: "insert" },
      async () => fast.request(phone, operation),
      async () => slow.request(phone, operation),
    );
    expect(answer).toEqual(await fast.request(phone, operation));
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("an unsent request is sent once", async () => {
    const [phone, operation] = [nextPhone(), newId()];
    simulator.change({ phones: { [phone]: "254700100102" } });
    await slow.request(phone, operation);
    simulator.change({ phones: {} });
    await beaten(
      { collection: "transactions", command: "update" },
      async () => fast.request(phone, operation),
      async () => slow.request(phone, operation),
    );
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("the provider's answer is stored beside an outcome that came before it", async () => {
    const [phone, operation] = [nextPhone(), newId()];
    await beaten(
      { collection: "transactions", command: "update" },
      async () => {
        const found = await fast.deps.transactions.findByOperation(businessid, operation);
        if (!found) throw new Error("no transaction");
        const entity = { ...found.entity, answerlost: true };
        await fast.deps.transactions.save(found, { entity, events: [] }, { now: new Date(0) });
      },
      async () => slow.request(phone, operation),
    );
    const found = await fast.deps.transactions.findByOperation(businessid, operation);
    expect(found?.entity).toMatchObject({ state: "prompted", answerlost: true });
    expect(await fast.eventsOf(found?.entity.id ?? "")).toEqual(["payment.initiated"]);
  });

  it.each([
    ["payment", outcomes.pays, outcomes.cancels],
    ["cancellation", outcomes.cancels, outcomes.pays],
  ])("a payment stands beside a cancellation when the %s is slow", async (_, late, early) => {
    const id = await fast.prompted(nextPhone());
    await beaten(
      { collection: "transactions" },
      async () => fast.report(id, early),
      async () => slow.report(id, late),
    );
    expect(await fast.read(id)).toMatchObject({ state: "completed" });
    const types = await fast.eventsOf(id);
    expect(types.filter((type) => type === "payment.completed")).toHaveLength(1);
    expect(await count("momoreceipts", { transactionid: id })).toBe(1);
  });

  it("a due transaction is leased once", async () => {
    const id = await fast.prompted(nextPhone());
    const { nextquery } = await fast.read(id);
    const due = { id, nextquery: nextquery ?? new Date(0) };
    const until = addMs(due.nextquery, minuteMs);
    const isLeased = await beaten(
      { collection: "transactions" },
      async () => expect(await fast.deps.transactions.lease(due, until)).toBe(true),
      async () => slow.deps.transactions.lease(due, addMs(until, 1)),
    );
    expect(isLeased).toBe(false);
  });

  it("a save over an older version is refused", async () => {
    const id = await fast.prompted(nextPhone());
    const found = await slow.deps.transactions.get(id);
    if (!found) throw new Error("no transaction");
    for (const save of ["save", "saveBatched"] as const) {
      const change = { entity: { ...found.entity, reason: "late" }, events: [] };
      await fast.report(id, outcomes.pays);
      const saving = slow.deps.transactions[save](found, change, { now: new Date(0) });
      await expect(saving).rejects.toThrow(VersionConflict);
    }
    expect(await fast.read(id)).toMatchObject({ state: "completed", reason: null });
  });
});

async function openEntry() {
  const id = newId();
  const callback = {
    checkoutrequestid: id,
    merchantrequestid: "m",
    amount: cents(9_000),
    receiptnumber: null,
  };
  const payment = { kind: "unknown_request", callback } as const;
  await fast.deps.suspense.add(payment, { id, businessid });
  const { entries } = await fast.deps.suspense.page("open", { page: 1, limit: 100 });
  const entry = entries.find(({ transactionid }) => transactionid === id);
  return { transaction: { id, businessid }, payment, id: entry?.id ?? "" };
}

describe("when another writer wins before a receipt number or a suspense entry", () => {
  it("a number that another payment has just taken goes to suspense, and completes nothing", async () => {
    const [id, owner] = [await fast.prompted(nextPhone()), newId()];
    const receipt = "UKR7A1B2C3";
    await beaten(
      { collection: "momoreceipts" },
      async () => fast.deps.momoReceipts.claim(receipt, owner),
      async () => slow.report(id, { ...outcomes.pays, receipt }),
    );
    expect(await fast.read(id)).toMatchObject({ state: "prompted", inSuspense: true });
    expect(await count("suspense", { transactionid: id, kind: "receipt_seen_twice" })).toBe(1);
  });

  const suspense = { collection: "suspense" };

  it("the same money makes one entry", async () => {
    const id = newId();
    const { payment } = await openEntry();
    const isAdded = await beaten(
      suspense,
      async () => fast.deps.suspense.add(payment, { id, businessid }),
      async () => slow.deps.suspense.add(payment, { id, businessid }),
    );
    expect(isAdded).toBe(false);
    expect(await count("suspense", { transactionid: id })).toBe(1);
  });

  it("an entry is taken for one transaction, given back by it alone, and closed once", async () => {
    const { id } = await openEntry();
    const [one, other] = [newId(), newId()];
    const taken = await beaten(
      suspense,
      async () => fast.deps.suspense.take(id, one),
      async () => slow.deps.suspense.take(id, other),
    );
    expect(taken).toBe(one);
    await slow.deps.suspense.giveBack(id, other);
    expect(await fast.deps.suspense.take(id, other)).toBe(one);
    const outcome = { status: "assigned", assignedto: one, note: null } as const;
    const isClosed = await beaten(
      suspense,
      async () => fast.deps.suspense.close(id, outcome),
      async () => slow.deps.suspense.close(id, { ...outcome, assignedto: other }),
    );
    expect(isClosed).toBe(false);
    await beaten(
      suspense,
      async () => undefined,
      async () => slow.deps.suspense.giveBack(id, one),
    );
    expect(await fast.deps.suspense.find(id)).toMatchObject(outcome);
    expect(await fast.deps.suspense.take(id, other)).toBe(one);
  });
});

const reservation = (amount: number) => ({
  holder: newId(),
  transactionid: newId(),
  amount: cents(amount),
});

describe("when another writer wins before a hold", () => {
  it("a phone is held by the first", async () => {
    const phone = nextPhone();
    const isHeld = await beaten(
      { collection: "phoneholds" },
      async () => fast.deps.phoneHolds.hold(phone, "one"),
      async () => slow.deps.phoneHolds.hold(phone, "other"),
    );
    expect(isHeld).toBe(false);
  });

  it("a phone that its owner has just refused rests", async () => {
    const phone = nextPhone();
    const answer = await beaten(
      { collection: "phoneholds" },
      async () => fast.report(await fast.prompted(phone), outcomes.cancels),
      async () => slow.request(phone),
    );
    expect(answer).toMatchObject({ error: { code: "phone_resting" } });
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("a phone that passed to another transaction is not freed by the first one's late end", async () => {
    const phone = nextPhone();
    const id = await fast.prompted(phone);
    const pass = (ms: number) => [slow, fast].forEach(({ clock }) => clock.advance(ms));
    await beaten(
      { collection: "phoneholds" },
      async () => {
        pass(3 * minuteMs);
        await fast.prompted(phone);
      },
      async () => slow.report(id, outcomes.hasNoMoney),
    );
    expect(await fast.request(phone)).toMatchObject({ error: { code: "phone_busy" } });
    expect(promptsOf(phone)).toHaveLength(2);
  });

  const debt = { owed: cents(30_000), counted: [] };

  it.each([
    ["new", 0],
    ["known", 1],
  ])("a %s debt is reserved once", async (_, earlier) => {
    const debtId = `invoice:${newId()}`;
    const { reservations } = fast.deps;
    for (let nth = 0; nth < earlier; nth += 1) {
      await reservations.reserve(debtId, reservation(5_000), debt);
    }
    const left = await beaten(
      { collection: "reservations" },
      async () => reservations.reserve(debtId, reservation(20_000), debt),
      async () => slow.deps.reservations.reserve(debtId, reservation(20_000), debt),
    );
    expect(left).toBe(earlier === 0 ? 10_000 : 5_000);
  });

  it("a release keeps what another has reserved meanwhile", async () => {
    const debtId = `invoice:${newId()}`;
    const first = reservation(20_000);
    await fast.deps.reservations.reserve(debtId, first, debt);
    await beaten(
      { collection: "reservations" },
      async () => fast.deps.reservations.reserve(debtId, reservation(10_000), debt),
      async () =>
        slow.deps.reservations.release(debtId, {
          holder: first.holder,
          id: first.transactionid,
          isPaid: false,
        }),
    );
    const asked = reservation(30_000);
    expect(await fast.deps.reservations.reserve(debtId, asked, debt)).toBe(20_000);
  });

  it("two payments that the invoice has counted are not taken off the rest again", async () => {
    const debtId = `invoice:${newId()}`;
    const { reservations } = fast.deps;
    const paid = [reservation(10_000), reservation(10_000)];
    for (const each of paid) {
      await reservations.reserve(debtId, each, debt);
      await reservations.release(debtId, {
        holder: each.holder,
        id: each.transactionid,
        isPaid: true,
      });
    }
    const open = reservation(4_000);
    const counted = paid.map(({ transactionid }) => transactionid);
    const rest = { owed: cents(10_000), counted };
    expect(await reservations.reserve(debtId, open, rest)).toBe("reserved");
    expect(await reservations.reserve(debtId, reservation(9_000), rest)).toBe(6_000);
    expect(await reservations.reserve(debtId, reservation(6_000), rest)).toBe("reserved");
  });

  it.each([
    ["first", 0],
    ["third", 2],
  ])("the %s prompt of a phone is allowed once", async (_, taken) => {
    const allowance = {
      ...allowanceOfPhone(nextPhone()),
      windows: [{ lengthMs: minuteMs, max: taken + 1 }],
    };
    const take = async ({ promptAllowances }: Deps) => promptAllowances.take(allowance, newId());
    for (let nth = 0; nth < taken; nth += 1) expect(await take(fast.deps)).toBeNull();
    const from = await beaten(
      { collection: "promptallowances" },
      async () => expect(await take(fast.deps)).toBeNull(),
      async () => take(slow.deps),
    );
    expect(from).toBeInstanceOf(Date);
  });
});

const link = (seq: number, id: string, title: string) => ({
  id,
  businessid,
  owner: "invoice" as const,
  code: id,
  title,
  description: null,
  amount: cents(1_000),
  reusable: false,
  expiresat: null,
  referenceid: null,
  invoiceid: id,
  subscriptionid: null,
  status: "active" as const,
  heardseq: seq,
  createdat: new Date(0),
  updatedat: new Date(0),
});

describe("when another writer wins before a link, a receipt or a method is written", () => {
  it.each([["insert"], ["update"]] as const)(
    "an older event of an invoice does not overwrite a newer one (%s)",
    async (command) => {
      const id = newId();
      if (command === "update") await fast.deps.links.applyInvoiceUpdates([link(1, id, "first")]);
      await beaten(
        { collection: "paymentlinks", command },
        async () => fast.deps.links.applyInvoiceUpdates([link(3, id, "newest")]),
        async () => slow.deps.links.applyInvoiceUpdates([link(2, id, "older")]),
      );
      expect((await fast.deps.links.find(businessid, id))?.entity.title).toBe("newest");
    },
  );

  it("a link is paid by one payment", async () => {
    const id = newId();
    const standalone = { ...link(0, id, "fees"), owner: "standalone" as const, invoiceid: null };
    await fast.deps.links.insert(standalone, [], { now: new Date(0) });
    await beaten(
      { collection: "paymentlinks" },
      async () => fast.deps.links.markPaid([{ id, by: "one" }]),
      async () => slow.deps.links.markPaid([{ id, by: "other" }]),
    );
    expect(await count("paymentlinks", { code: id, paidby: "one" })).toBe(1);
  });

  it("a receipt number is filled in once, and a callback is stored once", async () => {
    const id = newId();
    const receipt = {
      id,
      businessid,
      receiptno: id,
      invoiceid: null,
      amount: cents(1_000),
      phone: nextPhone(),
      momoreceiptnumber: null,
      code: id,
      createdat: new Date(0),
    };
    await fast.deps.receipts.insert(receipt, [], { now: new Date(0) });
    await beaten(
      { collection: "receipts" },
      async () => fast.deps.receipts.fillReceiptNumber(id, "FIRST12345"),
      async () => slow.deps.receipts.fillReceiptNumber(id, "SECOND1234"),
    );
    const found = await fast.deps.receipts.find(businessid, id);
    expect(found?.entity.momoreceiptnumber).toBe("FIRST12345");
    const at = "2026-11-21T09:00:00.000Z";
    const message = {
      id,
      provider: "mpesa",
      transactionid: id,
      address: "",
      at,
      body: "",
    } as const;
    await beaten(
      { collection: "callbacks" },
      async () => fast.deps.callbacks.insert([message]),
      async () => slow.deps.callbacks.insert([message]),
    );
    expect(await count("callbacks", { transactionid: id })).toBe(1);
  });
});

describe("an error of ours after the call", () => {
  it("is an unknown outcome, and the same request never prompts again", async () => {
    const [phone, operationid] = [nextPhone(), newId()];
    const { provider } = fast.deps;
    const broken: Deps = {
      ...fast.deps,
      provider: {
        ...provider,
        prompt: async (...call) => {
          await provider.prompt(...call);
          throw new TypeError("an answer that we could not read");
        },
      },
    };
    const now = fast.clock.now();
    const context = {
      businessid,
      cause: { now, operationid },
      deadline: addMs(now, minuteMs / 2),
    };
    const order = { phone, amount: cents(10_000) };
    const unknown = { ok: false, error: { code: "outcome_unknown" } };
    expect(await createTransaction(broken, context, order)).toMatchObject(unknown);
    expect(await createTransaction(fast.deps, context, order)).toMatchObject(unknown);
    expect(promptsOf(phone)).toHaveLength(1);
    const found = await fast.deps.transactions.findByOperation(businessid, operationid);
    expect(found?.entity).toMatchObject({ state: "calling" });
  });
});
