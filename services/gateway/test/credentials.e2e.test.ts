import { randomBytes } from "node:crypto";
import { allRoutes } from "@malipo/contracts";
import {
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  useSystem,
} from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { createSecret } from "../src/credentials/secret.ts";
import { fromRandomAddress } from "./addresses.ts";

const system = useSystem(["invoice"]);
const someId = "507f1f77bcf86cd799439011";

const secrets = { known: "", revoked: "", expired: "", suspended: "" };

beforeAll(async () => {
  secrets.known = system.business.secret;
  const { businessid } = system.business;
  const revoked = await issue(businessid);
  await system.operator("POST", `/operator/key/revoke/${idIn(revoked)}`);
  const expired = await issue(businessid);
  await system.operator("POST", `/operator/key/rotate/${idIn(expired)}`, { overlapseconds: 0 });
  const suspended = await makeBusiness(system.gateway());
  await system.operator("POST", `/operator/business/suspend/${suspended.businessid}`);
  secrets.revoked = String(dataOf(revoked)["secret"]);
  secrets.expired = String(dataOf(expired)["secret"]);
  secrets.suspended = suspended.secret;
});

async function issue(businessid: string): Promise<ApiAnswer> {
  return system.operator("POST", `/operator/key/issue/${businessid}`);
}

/** One wrong character, as in a copy made by hand. */
function mistyped(secret: string): string {
  const wrong = secret.at(20) === "x" ? "y" : "x";
  return secret.slice(0, 20) + wrong + secret.slice(21);
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  /** The header WWW-Authenticate; null if another credential would not help. */
  readonly challenge: string | null;
  /** X-RateLimit-Limit: that of the address, or that of the business's plan. */
  readonly limit: string;
}

const ofAddress = "60";
const missing: Refusal = {
  status: 401,
  code: "missing_credential",
  text: "Missing credential. Send your client secret in the Authorization header.",
  challenge: 'Bearer realm="malipo"',
  limit: ofAddress,
};
const invalid: Refusal = {
  status: 401,
  code: "invalid_credential",
  text: "Invalid credential",
  challenge: 'Bearer realm="malipo", error="invalid_token"',
  limit: ofAddress,
};
const ofAnotherEnvironment: Refusal = {
  ...invalid,
  code: "wrong_environment",
  text: "This is the sandbox, and the secret is a live one",
};
const suspended: Refusal = {
  status: 403,
  code: "business_suspended",
  text: "Business suspended",
  challenge: null,
  limit: "100000",
};

/** Values of the Authorization header with their refusals. */
const credentials: readonly (readonly [string, () => string | undefined, Refusal])[] = [
  ["no credential", () => undefined, missing],
  ["an empty credential", () => "", missing],
  ["a scheme alone", () => "Bearer", missing],
  ["a malformed credential", () => "sk_test_nonsense", invalid],
  ["a credential of another scheme", () => "Basic c2s6dGVzdA==", invalid],
  ["a mistyped secret", () => mistyped(secrets.known), invalid],
  ["a secret in upper case", () => secrets.known.toUpperCase(), invalid],
  ["two secrets in one header", () => `${secrets.known}, ${secrets.known}`, invalid],
  ["an unknown secret", () => createSecret("sandbox", randomBytes(32)), invalid],
  ["a revoked secret", () => secrets.revoked, invalid],
  ["an expired secret", () => secrets.expired, invalid],
  ["a live secret", () => createSecret("live", randomBytes(32)), ofAnotherEnvironment],
  ["a secret of a suspended business", () => secrets.suspended, suspended],
];

const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");
const named = publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(credentials)("%s", (_name, credential, refusal) => {
  it.each(named)("is refused by %s", async (_route, route) => {
    const url = system.gateway().apiUrl + route.path.replace(":id", someId);
    const body = route.method === "GET" ? undefined : { title: "x", name: "x", price: 1 };
    const answer = await call(url, route.method, credential(), body, fromRandomAddress());
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: refusal.status,
      body: {
        success: false,
        [route.errorField]: refusal.text,
        code: refusal.code,
        requestid: answer.headers.get("x-request-id"),
      },
    });
    expect(answer.body["requestid"]).toMatch(/^req_/);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("www-authenticate")).toBe(refusal.challenge);
    expect(answer.headers.get("x-ratelimit-limit")).toBe(refusal.limit);
    expect(answer.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
    expect(answer.headers.get("x-ratelimit-reset")).toMatch(/^\d+$/);
  });
});

it("refused requests have no effect, and the right secret still works", async () => {
  for (const noun of ["product", "customer"]) {
    const { status, body } = await system.api("GET", `/business/${noun}/list`);
    expect({ status, meta: body["meta"] }).toMatchObject({ status: 200, meta: { total: 0 } });
  }
  const settings = await system.api("GET", "/business/settings");
  expect(dataOf(settings)["displayname"]).toBe("Duka la Mtihani");
});

describe("a rotated secret", () => {
  it("works until its overlap ends and not longer", async () => {
    const own = await makeBusiness(system.gateway());
    const [key] = (await system.operator("GET", `/operator/key/list/${own.businessid}`)).body[
      "data"
    ] as { _id: string }[];
    const ask = async () =>
      call(`${system.gateway().apiUrl}/business/settings`, "GET", own.secret, undefined, {
        ...fromRandomAddress(),
      });
    const overlap = { overlapseconds: 3 };
    await system.operator("POST", `/operator/key/rotate/${key?._id}`, overlap);
    const listed = await system.operator("GET", `/operator/key/list/${own.businessid}`);
    const [, old] = listed.body["data"] as { expiresat: string }[];
    const ends = Date.parse(old?.expiresat ?? "");
    expect((await ask()).status).toBe(200);
    const accepted: number[] = [];
    await eventually(async () => {
      const askedAt = Date.now();
      const { status } = await ask();
      if (status === 200) accepted.push(askedAt);
      expect(status).toBe(401);
    }, 10_000);
    expect(accepted.filter((askedAt) => askedAt > ends)).toEqual([]);
    expect(accepted.at(-1)).toBeGreaterThan(ends - 1_000);
  });
});
