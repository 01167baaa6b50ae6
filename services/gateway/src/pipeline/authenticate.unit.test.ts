import { randomBytes } from "node:crypto";
import { fastify } from "fastify";
import { MongoNetworkError } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Mode } from "../config.ts";
import type { Principal } from "../principals.ts";
import { mintSecret } from "../secret.ts";
import { createAddressLimiter } from "../rate-limit/addresses.ts";
import { admit, authenticateBusiness } from "./authenticate.ts";

const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "free",
  limits: null,
  suspended: false,
  expiresat: null,
};

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
  const addresses = createAddressLimiter(() => Date.now(), 60);
  app.addHook("onRequest", authenticateBusiness({ find: counted }, addresses, usage, mode));
  app.addHook("onRequest", admit);
  app.get("/", async ({ principal }) => principal);
  const ask = async (authorization = mintSecret("sandbox", randomBytes(32))) => {
    const answer = await app.inject({ url: "/", headers: { authorization } });
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
});
