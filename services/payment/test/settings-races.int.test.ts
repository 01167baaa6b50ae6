import { randomBytes } from "node:crypto";
import { cents, minuteMs, ok } from "@malipo/core";
import { createCipher, DuplicateRecord, newId, VersionConflict } from "@malipo/platform";
import {
  freshNamespace,
  startSimulator,
  startStoreProxy,
  useSharedServers,
  type WritePattern,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { neverChosen, type ProviderAccount } from "../src/domain/payment-method.ts";
import { allowanceOfPhone } from "../src/domain/prompt/prompt-allowance.ts";
import { handlers } from "../src/handlers/index.ts";
import { resealCollection } from "../src/jobs/reseal-secrets.ts";
import { openTokens } from "../src/providers/daraja/tokens.ts";
import { seal, type SealedDocument } from "../src/store/sealed.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const proxy = await startStoreProxy(servers.mongodbUri);
afterAll(() => proxy.close());
const env = { NAMESPACE: freshNamespace() };
/** A worker whose writes a test holds, and a faster one. */
const { deps: slow } = await openPayments(
  { ...servers, mongodbUri: proxy.mongodbUri },
  simulator.url,
  env,
  afterAll,
);
const fastWorker = await openPayments(servers, simulator.url, env, afterAll);
const { deps: fast, clock } = fastWorker;
const now = clock.now();

/** Does the work with the slow worker. The other acts before its first write that is meant. */
async function beaten<T>(
  pattern: WritePattern,
  act: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const acted = proxy.interrupt({ side: "before", pattern }, act);
  const [done] = await Promise.all([work(), acted]);
  return done;
}

const account = (shortcode: string): ProviderAccount => ({
  type: "paybill",
  shortcode,
  storenumber: null,
  consumerkey: `key-${shortcode}`,
  consumersecret: "secret",
  passkey: "passkey",
});

async function addMethod() {
  const ids = { id: newId(), businessid: newId() };
  const settingsid = await fast.settings.insert(ids.businessid, account("600100"));
  const dates = { chosenat: neverChosen, deletedat: null, createdat: now, updatedat: now };
  const method = { type: "paybill", shortcode: "600100", storenumber: null, settingsid } as const;
  return fast.methods.insert({ ...ids, ...method, ...dates }, [], { now });
}

type Method = Awaited<ReturnType<typeof addMethod>>;
const requestAbout = ({ businessid: of, id }: Method, body = {}) =>
  ({ businessid: of, params: { id }, body, cause: { now } }) as never;
const update = async (deps: Deps, method: Method, body: object) =>
  handlers.updatePaymentMethod(deps)(requestAbout(method, body));

describe("when another writer wins before a payment method is written", () => {
  const methods = { collection: "paymentmethods" };

  it("a change of one secret keeps the change of another", async () => {
    const method = await addMethod();
    const work = beaten(
      methods,
      async () => update(fast, method, { passkey: "theirs" }),
      async () => update(slow, method, { shortcode: "600200" }),
    );
    await expect(work).rejects.toThrow(VersionConflict);
    expect((await update(slow, method, { shortcode: "600200" })).ok).toBe(true);
    const found = await fast.methods.find(method.businessid, method.id);
    const stored = await fast.settings.find(found?.entity.settingsid ?? "");
    expect(stored).toMatchObject({ passkey: "theirs", shortcode: "600200" });
  });

  it("a deleted one stays deleted", async () => {
    const method = await addMethod();
    const work = beaten(
      methods,
      async () => handlers.deletePaymentMethod(fast)(requestAbout(method)),
      async () => update(slow, method, { default: true }),
    );
    await expect(work).rejects.toThrow(VersionConflict);
    expect(await update(slow, method, { default: true })).toMatchObject({ ok: false });
    expect(await fast.methods.findDefault(method.businessid)).toBeNull();
  });
});

it("a save of one transaction over an older version is refused", async () => {
  const id = await fastWorker.prompted(nextPhone());
  const found = await slow.transactions.get(id);
  if (!found) throw new Error("no transaction");
  const save = async ({ transactions }: Deps, reason: "early" | "late") => {
    const change = { entity: { ...found.entity, reason }, events: [] };
    return transactions.save(found, change, { now });
  };
  const work = beaten(
    { collection: "transactions" },
    async () => save(fast, "early"),
    async () => save(slow, "late"),
  );
  await expect(work).rejects.toThrow(VersionConflict);
  expect(await fastWorker.read(id)).toMatchObject({ reason: "early" });
});

const receipt = (id = newId()) => ({
  id,
  businessid,
  receiptno: "RCT-000777",
  invoiceid: null,
  amount: cents(1_000),
  phone: nextPhone(),
  momoreceiptnumber: null,
  code: id,
  createdat: now,
});

it("a receipt number is given to one of two receipts", async () => {
  const work = beaten(
    { collection: "receipts" },
    async () => fast.receipts.insert(receipt(), [], { now }),
    async () => slow.receipts.insert(receipt(), [], { now }),
  );
  await expect(work).rejects.toThrow(DuplicateRecord);
});

describe("when another writer wins before a provider's token is fetched", () => {
  it.each(["first", "next"])("the %s token is fetched once", async (which) => {
    const cipher = createCipher([[1, randomBytes(32)]]);
    let fetched = 0;
    const fetchToken = async () => {
      fetched += 1;
      return ok({ token: `token ${fetched}`, lifetimeMs: 5 * minuteMs });
    };
    const tokensOf = ({ service }: Deps) =>
      openTokens({ store: service.store, clock: clock.now }, cipher, fetchToken);
    const own = account(which);
    if (which === "next") await tokensOf(fast).get(own);
    const refused = which === "next" ? "token 1" : undefined;
    const token = await beaten(
      { collection: "providertokens" },
      async () => tokensOf(fast).get(own, refused),
      async () => tokensOf(slow).get(own, refused),
    );
    expect(token).toEqual(ok(`token ${fetched}`));
    expect(fetched).toBe(which === "next" ? 2 : 1);
  });
});

it.each(["providersettings", "providertokens"])(
  "a secret of %s that is replaced while it is sealed with a new key is kept",
  async (collection) => {
    const [old, fresh] = [[1, randomBytes(32)] as const, [2, randomBytes(32)] as const];
    const sealedIn = ({ service }: Deps) => service.store.db.collection<SealedDocument>(collection);
    const _id = new ObjectId();
    await sealedIn(fast).insertOne({
      _id,
      ...seal(createCipher([old]), randomBytes(9), String(_id)),
    });
    const replaced = seal(createCipher([fresh]), randomBytes(9), String(_id));
    await beaten(
      { collection },
      async () => sealedIn(fast).updateOne({ _id }, { $set: replaced }),
      async () => resealCollection(slow.service, createCipher([fresh, old]), sealedIn(slow)),
    );
    expect((await sealedIn(fast).findOne({ _id }))?.sealed?.value()).toEqual(
      replaced.sealed.value(),
    );
  },
);

it("an allowance that two workers give back for one attempt is given back once", async () => {
  const [allowance, attempt] = [allowanceOfPhone(nextPhone()), newId()];
  const collection = "promptallowances";
  await fast.promptAllowances.take(allowance, attempt);
  const giveBack = async ({ promptAllowances }: Deps) =>
    promptAllowances.giveBack([allowance], attempt);
  await beaten(
    { collection },
    async () => giveBack(fast),
    async () => giveBack(slow),
  );
  const empty = fast.service.store.db.collection(collection).find({ taken: { $size: 0 } });
  expect(await empty.toArray()).toMatchObject([{ version: 2 }]);
});
