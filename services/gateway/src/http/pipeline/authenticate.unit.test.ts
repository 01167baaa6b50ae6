import { randomBytes } from "node:crypto";
import { settableClock } from "@malipo/testing";
import { fastify } from "fastify";
import { MongoNetworkError } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Mode } from "../../config.ts";
import { cachePrincipals } from "../../credentials/principals.ts";
import { createSecret, hashSecret } from "../../credentials/secret.ts";
import type { Principal } from "../../domain/principal.ts";
import { createAddressLimiter } from "../../limiters/address-limiter.ts";
import { authenticateBusiness, refuseSuspended } from "./authenticate.ts";
import { identify } from "./identify.ts";
import { runSteps } from "./run-steps.ts";

const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "free",
  limits: null,
  suspended: false,
  expiresat: null,
};

const noon = new Date("2026-11-21T12:00:00Z");
const secret = () => createSecret("sandbox", randomBytes(32));

/** The steps of authentication over a source of principals. Records uses and counts lookups. */
function appOver(find: (secretHash: string) => Promise<Principal | null>, mode: Mode = "sandbox") {
  const time = settableClock(noon);
  const clock = time.now;
  const used: string[] = [];
  let lookups = 0;
  const counted = async (secretHash: string) => {
    lookups += 1;
    return find(secretHash);
  };
  const app = fastify();
  app.decorateRequest("principal", null);
  const lastUses = { record: (credentialid: string) => void used.push(credentialid) };
  const addresses = createAddressLimiter(clock, 60);
  const principals = cachePrincipals({ find: counted }, clock, () => clock().getTime());
  const authenticate = authenticateBusiness(principals, addresses, lastUses, mode);
  app.addHook("onRequest", identify(clock));
  app.addHook("onRequest", runSteps([authenticate, refuseSuspended], clock));
  app.get("/", async ({ principal }) => principal);
  const ask = async (authorization = secret(), address = "10.0.0.1") => {
    const answer = await app.inject({
      url: "/",
      headers: { authorization },
      remoteAddress: address,
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { ask, used, lookups: () => lookups, principals, time };
}

/** 65 wrong secrets came from the address of a business whose secret is known. */
async function limitedAddress() {
  const known = secret();
  const source = { find: async (): Promise<Principal | null> => duka };
  const app = appOver(async (hash) => (hash === hashSecret(known) ? source.find() : null));
  await app.ask(known);
  for (let tries = 0; tries < 65; tries += 1) await app.ask();
  expect(await app.ask()).toMatchObject({ status: 429 });
  return { ...app, source, askKnown: async () => app.ask(known) };
}

describe("authentication", () => {
  it("sets the principal of the request and records the use of the credential", async () => {
    const { ask, used } = appOver(async () => duka);
    expect(await ask()).toEqual({ status: 200, body: duka });
    expect(used).toEqual([duka.credentialid]);
  });

  it("answers 403 to a suspended business", async () => {
    const { ask } = appOver(async () => ({ ...duka, suspended: true }));
    expect(await ask()).toMatchObject({ status: 403, body: { code: "business_suspended" } });
  });

  it("answers 503, never 401, while the store is away", async () => {
    const { ask, used } = appOver(async () => {
      throw new MongoNetworkError("closed");
    });
    expect(await ask()).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(used).toEqual([]);
  });

  it.each([
    ["sandbox", "live", "This is the sandbox, and the secret is a live one"],
    ["live", "sandbox", "This is the live environment, and the secret is a test one"],
  ] as const)(
    "in the %s answers 401 to a secret of the %s without a lookup",
    async (mode, other, error) => {
      const { ask, lookups } = appOver(async () => duka, mode);
      expect(await ask(createSecret(other, randomBytes(32)))).toMatchObject({
        status: 401,
        body: { code: "wrong_environment", error },
      });
      expect(await ask(createSecret(mode, randomBytes(32)))).toMatchObject({ status: 200 });
      expect(lookups()).toBe(1);
    },
  );

  it("treats the word Bearer alone as a missing credential", async () => {
    const { ask, lookups } = appOver(async () => duka);
    for (const authorization of ["Bearer", "bearer ", " "]) {
      expect(await ask(authorization)).toMatchObject({
        status: 401,
        body: { code: "missing_credential" },
      });
    }
    expect(lookups()).toBe(0);
  });

  it("answers 429 without a lookup after 60 wrong secrets of an address", async () => {
    const { ask, lookups } = appOver(async () => null);
    for (let tries = 0; tries < 60; tries += 1) expect(await ask()).toMatchObject({ status: 401 });
    expect(lookups()).toBe(60);
    expect(await ask()).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(lookups()).toBe(60);
    expect(await ask(undefined, "10.0.0.2")).toMatchObject({ status: 401 });
  });

  it("refuses a valid secret that it has never seen from a limited address only", async () => {
    const unseen = secret();
    const { ask } = appOver(async (hash) => (hash === hashSecret(unseen) ? duka : null));
    for (let tries = 0; tries < 60; tries += 1) await ask();
    expect(await ask(unseen)).toMatchObject({ status: 429 });
    expect(await ask(unseen, "10.0.0.2")).toMatchObject({ status: 200 });
    expect(await ask(unseen)).toMatchObject({ status: 200 });
  });

  describe("of a secret that was valid before, from a limited address,", () => {
    it.each<[string, (app: Awaited<ReturnType<typeof limitedAddress>>) => void]>([
      ["the cached entry is fresh", () => undefined],
      ["the cached entry is stale", ({ time }) => time.advance(30_000)],
      ["its business has changed", ({ principals }) => principals.evictBusiness(duka.businessid)],
      ["the gateway has reconnected to NATS", ({ principals }) => principals.evictAll()],
    ])("succeeds when %s", async (_name, happen) => {
      const app = await limitedAddress();
      happen(app);
      const answers = await Promise.all([app.askKnown(), app.askKnown()]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    it("succeeds again after a lookup that failed", async () => {
      const { askKnown, source, principals } = await limitedAddress();
      principals.evictAll();
      source.find = async () => {
        throw new MongoNetworkError("closed");
      };
      expect(await askKnown()).toMatchObject({ status: 503 });
      source.find = async () => duka;
      expect(await askKnown()).toMatchObject({ status: 200 });
    });

    it("looks a revoked secret up once, and no more after that", async () => {
      const { askKnown, source, principals, lookups, time } = await limitedAddress();
      source.find = async () => null;
      principals.evictBusiness(duka.businessid);
      const before = lookups();
      expect(await askKnown()).toMatchObject({ status: 429 });
      time.advance(30_000);
      expect(await askKnown()).toMatchObject({ status: 429 });
      expect(lookups() - before).toBe(1);
    });
  });
});
