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
import { mintSecret } from "../src/credentials/secret.ts";
import { fromAnyAddress } from "./addresses.ts";

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

/** One wrong character, as a person's copying makes it. */
function mistyped(secret: string): string {
  const wrong = secret.at(20) === "x" ? "y" : "x";
  return secret.slice(0, 20) + wrong + secret.slice(21);
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  /** Of WWW-Authenticate; null where no other credential would help. */
  readonly challenge: string | null;
  /** What X-RateLimit-Limit describes: the address, or the business's own window. */
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

/** What may stand in the Authorization header, and what it is answered. */
const credentials: readonly (readonly [string, () => string | undefined, Refusal])[] = [
  ["no credential", () => undefined, missing],
  ["an empty one", () => "", missing],
  ["a scheme alone", () => "Bearer", missing],
  ["a malformed one", () => "sk_test_nonsense", invalid],
  ["another scheme's", () => "Basic c2s6dGVzdA==", invalid],
  ["a mistyped one", () => mistyped(secrets.known), invalid],
  ["one in other letters", () => secrets.known.toUpperCase(), invalid],
  ["two at once", () => `${secrets.known}, ${secrets.known}`, invalid],
  ["an unknown one", () => mintSecret("sandbox", randomBytes(32)), invalid],
  ["a revoked one", () => secrets.revoked, invalid],
  ["an expired one", () => secrets.expired, invalid],
  ["a live one", () => mintSecret("live", randomBytes(32)), ofAnotherEnvironment],
  ["a suspended business's", () => secrets.suspended, suspended],
];

const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");
const named = publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(credentials)("%s", (_name, credential, refusal) => {
  it.each(named)("is refused by %s", async (_route, route) => {
    const url = system.gateway().apiUrl + route.path.replace(":id", someId);
    const body = route.method === "GET" ? undefined : { title: "x", name: "x", price: 1 };
    const answer = await call(url, route.method, credential(), body, fromAnyAddress());
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

it("did nothing of what was refused, and the right secret still opens everything", async () => {
  for (const noun of ["product", "customer"]) {
    const { status, body } = await system.api("GET", `/business/${noun}/list`);
    expect({ status, meta: body["meta"] }).toMatchObject({ status: 200, meta: { total: 0 } });
  }
  const settings = await system.api("GET", "/business/settings");
  expect(dataOf(settings)["displayname"]).toBe("Duka la Mtihani");
});

describe("a secret that is rotated", () => {
  it("opens until its overlap ends, and not a moment longer", async () => {
    const own = await makeBusiness(system.gateway());
    const [key] = (await system.operator("GET", `/operator/key/list/${own.businessid}`)).body[
      "data"
    ] as { _id: string }[];
    const ask = async () =>
      call(`${system.gateway().apiUrl}/business/settings`, "GET", own.secret, undefined, {
        ...fromAnyAddress(),
      });
    const overlap = { overlapseconds: 3 };
    await system.operator("POST", `/operator/key/rotate/${key?._id}`, overlap);
    const listed = await system.operator("GET", `/operator/key/list/${own.businessid}`);
    const [, old] = listed.body["data"] as { expiresat: string }[];
    const ends = Date.parse(old?.expiresat ?? "");
    expect((await ask()).status).toBe(200);
    const opened: number[] = [];
    await eventually(async () => {
      const askedAt = Date.now();
      const { status } = await ask();
      if (status === 200) opened.push(askedAt);
      expect(status).toBe(401);
    }, 10_000);
    expect(opened.filter((askedAt) => askedAt > ends)).toEqual([]);
    expect(opened.at(-1)).toBeGreaterThan(ends - 1_000);
  });
});
