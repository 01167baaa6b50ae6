import { hourMs, secondMs } from "@malipo/core";
import {
  crashAtEachWrite,
  type CrashPoint,
  createStreams,
  eventually,
  inOwnNamespace,
  readEvents,
  type SharedServers,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { beforeEach, expect, it } from "vitest";
import { type Core, handle, openCore } from "./open-core.ts";

const shared = useSharedServers();
let servers: SharedServers;
let proxy: StoreProxy;
/** The gateway that dies, the one that takes its place, and one that runs all the time. */
let dying: Core;
let fresh: Core;
let watching: Core;

beforeEach(async () => {
  servers = inOwnNamespace(shared);
  await createStreams(servers);
  proxy = await startStoreProxy(servers.mongodbUri);
  [dying, fresh, watching] = await Promise.all([
    openCore({ ...servers, mongodbUri: proxy.mongodbUri }),
    openCore(servers),
    openCore(servers),
  ]);
  return async () => {
    await Promise.all([dying.close(), fresh.close(), watching.close()]);
    await proxy.close();
  };
});

interface Key {
  readonly id: string;
  readonly secret: string;
}

/** A business with a key that the watching gateway has cached. */
async function businessWithKey() {
  const { data } = await create(fresh);
  const businessid = String(data?.["_id"]);
  const key = await issue(fresh, businessid);
  expect(await watching.principalOf(key.secret)).toMatchObject({ businessid, suspended: false });
  return { businessid, key };
}

function keyIn({ status, data }: Awaited<ReturnType<typeof handle>>): Key {
  expect([200, 201]).toContain(status);
  return { id: String(data?.["_id"]), secret: String(data?.["secret"]) };
}

const create = async (core: Core) =>
  handle(core, "createBusiness", {}, { name: "Duka", plan: "free" });
const revoke = async (core: Core, id: string) => handle(core, "revokeKey", { id });
const issue = async (core: Core, id: string) => keyIn(await handle(core, "issueKey", { id }));

/** Every listed key has a hash of its own, and so a secret that may be known. */
async function expectCompleteKeys(businessid: string): Promise<void> {
  const { db } = fresh.deps.service.store;
  const keys = await db
    .collection("credentials")
    .find({ businessid: new ObjectId(businessid) })
    .toArray();
  for (const { _id } of keys) {
    expect(await db.collection("credentialhashes").countDocuments({ credentialid: _id })).toBe(1);
  }
}

const namesOf = (points: readonly CrashPoint[]) =>
  points.map(({ side, write }) => `${side} ${write.collection}`);

it("a business is suspended once and everywhere, at whatever write its gateway dies", async () => {
  const points = await crashAtEachWrite(proxy, {
    prepare: businessWithKey,
    run: async ({ businessid }) => handle(dying, "suspendBusiness", { id: businessid }),
    runAgain: async ({ businessid }) => {
      const { status } = await handle(fresh, "suspendBusiness", { id: businessid });
      expect([200, 409]).toContain(status);
    },
    check: async ({ businessid, key }) => {
      // The cache of the watching gateway would keep its entry for 30 seconds.
      await eventually(async () =>
        expect(await watching.principalOf(key.secret)).toMatchObject({ suspended: true }),
      );
      const { seq } = (await fresh.deps.businesses.find(businessid, businessid))?.eventState ?? {};
      expect(seq).toBe(2);
    },
  });
  expect(namesOf(points)).toEqual(["before businesses", "after businesses"]);
});

it("a key is issued whole or not at all, at whatever write its gateway dies", async () => {
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => ({ ...(await businessWithKey()), issued: [] as Key[] }),
    run: async ({ businessid, issued }) => issued.push(await issue(dying, businessid)),
    runAgain: async ({ businessid, issued }) => issued.push(await issue(fresh, businessid)),
    check: async ({ businessid, issued, key }) => {
      for (const { secret } of [...issued, key]) {
        expect(await watching.principalOf(secret)).toMatchObject({ businessid });
      }
      await expectCompleteKeys(businessid);
    },
  });
  expect(namesOf(points)).toEqual([
    "before credentialhashes",
    "after credentialhashes",
    "before credentials",
    "after credentials",
  ]);
});

it("a rotated business has a secret that works, at whatever write its gateway dies", async () => {
  const overlap = { overlapseconds: hourMs / secondMs };
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => ({ ...(await businessWithKey()), rotated: [] as Key[] }),
    run: async ({ key, rotated }) =>
      rotated.push(keyIn(await handle(dying, "rotateKey", { id: key.id }, overlap))),
    runAgain: async ({ businessid, key, rotated }) => {
      // Until the operator has the new secret, the old one works.
      expect(await fresh.principalOf(key.secret)).toMatchObject({ businessid });
      const again = await handle(fresh, "rotateKey", { id: key.id }, overlap);
      expect([undefined, "Key is expiring"]).toContain(again.error);
      if (again.error === undefined) rotated.push(keyIn(again));
      if (rotated.length === 0) rotated.push(await issue(fresh, businessid));
    },
    check: async ({ businessid, key, rotated }) => {
      for (const { secret } of rotated) {
        expect(await watching.principalOf(secret)).toMatchObject({ businessid, expiresat: null });
      }
      // The watching gateway knows the end of the old secret, although it had cached it.
      await eventually(async () =>
        expect((await watching.principalOf(key.secret))?.expiresat).toBeInstanceOf(Date),
      );
      await expectCompleteKeys(businessid);
    },
  });
  expect(namesOf(points)).toEqual([
    "before credentialhashes",
    "after credentialhashes",
    "before credentials",
    "after credentials",
    "before credentials",
    "after credentials",
  ]);
});

it("a revoked key is refused everywhere, at whatever write its gateway dies", async () => {
  const points = await crashAtEachWrite(proxy, {
    prepare: businessWithKey,
    run: async ({ key }) => revoke(dying, key.id),
    runAgain: async ({ key }) => expect(await revoke(fresh, key.id)).toMatchObject({ status: 200 }),
    check: async ({ key }) => {
      await eventually(async () => expect(await watching.principalOf(key.secret)).toBeNull());
    },
  });
  expect(namesOf(points)).toEqual(["before credentials", "after credentials"]);
});

it("a created business is announced once, at whatever write its gateway dies", async () => {
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => undefined,
    run: async () => create(dying),
    runAgain: async () => create(fresh),
    check: async () => {
      const stored = await fresh.deps.businesses.collection.distinct("_id");
      await eventually(async () => {
        const announced = (await readEvents(servers)).map(({ businessid }) => businessid);
        expect(announced).toEqual([...new Set(announced)]);
        for (const id of announced) expect(stored.map(String)).toContain(id);
        expect(announced.length).toBeGreaterThan(0);
      });
    },
  });
  expect(namesOf(points)).toEqual(["before businesses", "after businesses"]);
});

it("the first product of a business is known, at whatever write its gateway dies", async () => {
  const at = new Date("2026-11-21T12:00:00Z");
  const record = async ({ deps }: Core, businessid: string) =>
    deps.onboarding.recordFirstProducts([{ businessid, at }]);
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => new ObjectId().toHexString(),
    run: async (businessid) => record(dying, businessid),
    runAgain: async (businessid) => record(fresh, businessid),
    check: async (businessid) =>
      expect(await fresh.deps.onboarding.firstProductOf(businessid)).toEqual(at),
  });
  expect(namesOf(points)).toEqual(["before onboarding", "after onboarding"]);
});
