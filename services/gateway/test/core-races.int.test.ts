import { addMs, hourMs, minuteMs } from "@malipo/core";
import {
  createStreams,
  eventually,
  inOwnNamespace,
  readEvents,
  settableClock,
  type SharedServers,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { beforeEach, describe, expect, it } from "vitest";
import { windowsFor } from "../src/domain/rate-limit/windows.ts";
import { createCredentialLimiter } from "../src/limiters/credential-limiter.ts";
import { openWindowStore } from "../src/store/rate-limit-windows.ts";
import { ask, type Core, handle, openCore } from "./open-core.ts";

const shared = useSharedServers();
let servers: SharedServers;
let proxy: StoreProxy;
/** The gateway whose writes are interrupted; it serves the routes. And another one. */
let ours: Core;
let other: Core;

beforeEach(async () => {
  servers = inOwnNamespace(shared);
  await createStreams(servers);
  proxy = await startStoreProxy(servers.mongodbUri);
  [ours, other] = await Promise.all([
    openCore({ ...servers, mongodbUri: proxy.mongodbUri }),
    openCore(servers),
  ]);
  await ours.serve();
  return async () => {
    await Promise.all([ours.close(), other.close()]);
    await proxy.close();
  };
});

const writeOf = (collection: string, side: "before" | "after" = "before") => ({
  side,
  pattern: { collection },
});

async function newBusiness(): Promise<string> {
  const created = await handle(other, "createBusiness", {}, { name: "Duka", plan: "free" });
  return String(created.data?.["_id"]);
}

/** A new key with its secret. */
async function issue(core: Core, businessid: string) {
  const { data } = await handle(core, "issueKey", { id: businessid });
  return { id: String(data?.["_id"]), secret: String(data?.["secret"]) };
}

async function statusesOf(businessid: string): Promise<string[]> {
  const page = { limit: 100, offset: 0, page: 1 };
  const { credentials } = await other.deps.credentials.list(businessid, page);
  return Promise.all(
    credentials.map(async ({ id, revokedat, expiresat }) => {
      expect(await other.deps.credentials.find(id)).not.toBeNull();
      return revokedat ? "revoked" : expiresat ? "expiring" : "active";
    }),
  );
}

async function publishedTypes(count: number): Promise<string[]> {
  return eventually(async () => {
    const types = (await readEvents(servers)).map(({ type }) => type);
    expect(types.length).toBeGreaterThanOrEqual(count);
    return types;
  });
}

describe("a change of a business", () => {
  it("that another change overtakes is decided again, and both are kept", async () => {
    const id = await newBusiness();
    const won = proxy.interrupt(writeOf("businesses"), async () =>
      handle(other, "setBusinessPlan", { id }, { plan: "starter" }),
    );
    expect(await ask(ours, "suspendBusiness", { id })).toMatchObject({
      status: 200,
      data: { status: "suspended", plan: "starter" },
    });
    await won;
    expect(await publishedTypes(3)).toEqual([
      "business.created",
      "business.updated",
      "business.suspended",
    ]);
  });

  it("that another request makes first is refused, and happens once", async () => {
    const id = await newBusiness();
    const won = proxy.interrupt(writeOf("businesses"), async () =>
      handle(other, "suspendBusiness", { id }),
    );
    expect(await ask(ours, "suspendBusiness", { id })).toMatchObject({
      status: 409,
      error: "Business is suspended",
    });
    await won;
    expect(await publishedTypes(2)).toEqual(["business.created", "business.suspended"]);
  });

  it("succeeds when every write loses once", async () => {
    const id = await newBusiness();
    const lost = proxy.loseVersionRaces();
    const settings = { displayname: "Duka Jipya" };
    const statuses = [
      (await ask(ours, "setBusinessPlan", { id }, { plan: "starter" })).status,
      (await ask(ours, "setBusinessSettings", { id }, settings)).status,
      (await ask(ours, "suspendBusiness", { id })).status,
      (await ask(ours, "resumeBusiness", { id })).status,
    ];
    expect([statuses, lost()]).toEqual([[200, 200, 200, 200], 4]);
    const found = await other.deps.businesses.find(id, id);
    expect(found?.entity).toMatchObject({ plan: "starter", status: "active" });
    expect(found?.entity.settings).toMatchObject(settings);
  });
});

describe("a rotation of a key", () => {
  const overlap = { overlapseconds: 3_600 };

  it.each([
    ["another rotation", "rotateKey", "Key is expiring", ["active", "expiring", "revoked"]],
    ["a revocation", "revokeKey", "Key is revoked", ["revoked", "revoked"]],
  ] as const)(
    "that %s overtakes is refused, and leaves no key of its own",
    async (_name, faster, error, statuses) => {
      const businessid = await newBusiness();
      const { id } = await issue(other, businessid);
      const won = proxy.interrupt({ ...writeOf("credentials"), nth: 2 }, async () =>
        faster === "rotateKey"
          ? handle(other, faster, { id }, overlap)
          : handle(other, faster, { id }),
      );
      expect(await ask(ours, "rotateKey", { id }, overlap)).toMatchObject({ status: 409, error });
      await won;
      expect((await statusesOf(businessid)).toSorted()).toEqual(statuses);
    },
  );
});

describe("a credential", () => {
  it("keeps the earlier of two revocations, whichever is written first", async () => {
    const { id } = await issue(other, await newBusiness());
    const now = new Date();
    const earlier = addMs(now, -minuteMs);
    const end = async (core: Core, at: Date) => core.deps.credentials.revoke(id, at);
    const won = proxy.interrupt(writeOf("credentials"), async () => end(other, earlier));
    expect((await end(ours, now))?.revokedat).toEqual(earlier);
    await won;
    expect((await end(ours, addMs(earlier, -1)))?.revokedat).toEqual(addMs(earlier, -1));
  });

  it("keeps the later of two uses, whichever is written first", async () => {
    const { id } = await issue(other, await newBusiness());
    const now = new Date();
    const use = async (core: Core, at: Date) =>
      core.deps.credentials.storeLastUses(new Map([[id, at]]));
    const won = proxy.interrupt(writeOf("credentials"), async () => use(other, now));
    await use(ours, addMs(now, -minuteMs));
    await won;
    expect((await other.deps.credentials.find(id))?.lastusedat).toEqual(now);
  });
});

it("the first product of a business is the earliest, whichever event is written first", async () => {
  const businessid = new ObjectId().toHexString();
  const noon = new Date("2026-11-21T12:00:00Z");
  const record = async ({ deps }: Core, at: Date) =>
    deps.onboarding.recordFirstProducts([{ businessid, at }]);
  const won = proxy.interrupt(writeOf("onboarding"), async () => record(other, noon));
  await record(ours, addMs(noon, hourMs));
  await won;
  expect(await other.deps.onboarding.firstProductOf(businessid)).toEqual(noon);
  await record(ours, addMs(noon, -hourMs));
  expect(await other.deps.onboarding.firstProductOf(businessid)).toEqual(addMs(noon, -hourMs));
});

describe("a limit that two gateways lease from", () => {
  const free = windowsFor("free", null, "plan");
  const credentialid = "507f1f77bcf86cd799439012";

  async function limiters() {
    const clock = settableClock(new Date("2026-11-21T12:00:00Z"));
    const of = async ({ deps: { service } }: Core) => {
      const windowStore = await openWindowStore(service);
      const limiter = createCredentialLimiter({
        windowStore,
        clock: clock.now,
        onStoreAway: () => undefined,
      });
      return async (requests: number) => {
        let admitted = 0;
        for (let request = 0; request < requests; request += 1) {
          if ((await limiter.take(credentialid, free)).allowed) admitted += 1;
        }
        return admitted;
      };
    };
    return { clock, takeOurs: await of(ours), takeOther: await of(other) };
  }

  it.each([
    ["their first lease", 0],
    ["a later lease", 1],
  ])("is not exceeded when both write %s", async (_name, before) => {
    const { takeOurs, takeOther } = await limiters();
    const admitted = [await takeOurs(before)];
    const won = proxy.interrupt(writeOf("ratelimits"), async () => {
      admitted.push(await takeOther(3));
    });
    admitted.push(await takeOurs(10));
    await won;
    admitted.push(await takeOther(10));
    expect(admitted).toEqual([before, 3, 2 - before, 0]);
  });

  it.each(["before", "after"] as const)(
    "is exceeded by the local allowance at most when a gateway dies %s its lease is written",
    async (side) => {
      const { takeOurs, takeOther } = await limiters();
      const killed = proxy.kill({ side, pattern: { collection: "ratelimits" } });
      const admitted = await takeOurs(10);
      await killed;
      expect(admitted).toBe(1);
      const rest = await takeOther(10);
      // A lease of the dead gateway is lost, so less may be admitted.
      expect(rest).toBe(side === "before" ? 5 : 4);
      proxy.revive();
    },
  );
});
