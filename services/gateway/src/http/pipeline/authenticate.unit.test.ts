import { randomBytes } from "node:crypto";
import { fastify } from "fastify";
import { MongoNetworkError } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Mode } from "../../config.ts";
import { cachePrincipals, type Principal } from "../../credentials/principals.ts";
import { mintSecret } from "../../credentials/secret.ts";
import { createAddressLimiter } from "../../rate-limits/address-limiter.ts";
import { admit, authenticateBusiness } from "./authenticate.ts";
import { identify } from "./identify.ts";
import { takeSteps } from "./run-steps.ts";

const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "free",
  limits: null,
  suspended: false,
  expiresat: null,
};

const noon = Date.UTC(2026, 10, 21, 12);
const clock = () => new Date(noon);

/** The pipeline's first steps over a source of principals; it counts who used what. */
function appOver(find: () => Promise<Principal | null>, mode: Mode = "sandbox") {
  const used: string[] = [];
  let looks = 0;
  const counted = async () => {
    looks += 1;
    return find();
  };
  const app = fastify();
  app.decorateRequest("principal", null);
  const usage = { note: (credentialid: string) => void used.push(credentialid) };
  const addresses = createAddressLimiter(() => noon, 60);
  const principals = cachePrincipals({ find: counted }, clock);
  const authenticate = authenticateBusiness(principals, addresses, usage, mode);
  app.addHook("onRequest", identify(clock));
  app.addHook("onRequest", takeSteps([authenticate, admit], clock));
  app.get("/", async ({ principal }) => principal);
  const ask = async (
    authorization = mintSecret("sandbox", randomBytes(32)),
    address = "10.0.0.1",
  ) => {
    const answer = await app.inject({
      url: "/",
      headers: { authorization },
      remoteAddress: address,
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { ask, used, looks: () => looks };
}

describe("authentication", () => {
  it("knows on whose behalf a request comes, and that the credential was used", async () => {
    const { ask, used } = appOver(async () => duka);
    expect(await ask()).toEqual({ status: 200, body: duka });
    expect(used).toEqual([duka.credentialid]);
  });

  it("keeps a suspended business out", async () => {
    const { ask } = appOver(async () => ({ ...duka, suspended: true }));
    expect(await ask()).toMatchObject({ status: 403, body: { code: "business_suspended" } });
  });

  it("is a 503 while the store is away, never a 401", async () => {
    const { ask, used } = appOver(async () => {
      throw new MongoNetworkError("closed");
    });
    expect(await ask()).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(used).toEqual([]);
  });

  it.each([
    ["sandbox", "live", "This is the sandbox, and the secret is a live one"],
    ["live", "sandbox", "This is the live environment, and the secret is a test one"],
  ] as const)("of the %s looks up no secret of the %s", async (mode, other, error) => {
    const { ask, looks } = appOver(async () => duka, mode);
    expect(await ask(mintSecret(other, randomBytes(32)))).toMatchObject({
      status: 401,
      body: { code: "wrong_environment", error },
    });
    expect(await ask(mintSecret(mode, randomBytes(32)))).toMatchObject({ status: 200 });
    expect(looks()).toBe(1);
  });

  it("takes the word Bearer for no secret", async () => {
    const { ask, looks } = appOver(async () => duka);
    for (const authorization of ["Bearer", "bearer ", " "]) {
      expect(await ask(authorization)).toMatchObject({
        status: 401,
        body: { code: "missing_credential" },
      });
    }
    expect(looks()).toBe(0);
  });

  it("looks up no guess from an address that has guessed too often", async () => {
    const { ask, looks } = appOver(async () => null);
    for (let tries = 0; tries < 60; tries += 1) expect(await ask()).toMatchObject({ status: 401 });
    expect(looks()).toBe(60);
    expect(await ask()).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(looks()).toBe(60);
    expect(await ask(undefined, "10.0.0.2")).toMatchObject({ status: 401 });
  });

  it("lets a right secret through from such an address when it has met it before", async () => {
    const secrets = [0, 1].map(() => mintSecret("sandbox", randomBytes(32)));
    let known: Principal | null = duka;
    const { ask } = appOver(async () => known);
    expect(await ask(secrets[0])).toMatchObject({ status: 200 });
    known = null;
    for (let tries = 0; tries < 60; tries += 1) await ask();
    known = duka;
    expect(await ask(secrets[0])).toMatchObject({ status: 200 });
    expect(await ask(secrets[1])).toMatchObject({ status: 429 });
    expect(await ask(secrets[1], "10.0.0.2")).toMatchObject({ status: 200 });
    expect(await ask(secrets[1])).toMatchObject({ status: 200 });
  });
});
