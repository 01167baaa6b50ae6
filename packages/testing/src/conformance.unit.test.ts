import { describe, expect, it } from "vitest";
import { expectConforming } from "./conformance.ts";

const product = {
  _id: "6743f1b2c9e8a45d3f0b7c21",
  title: "Chai",
  price: 50,
  description: null,
  createdat: "2026-11-03T08:15:30.000Z",
  updatedat: "2026-11-03T08:15:30.000Z",
};
const created = { success: true, message: "Product created successfully", data: product };
const refusal = { success: false, error: "No", code: "invalid_json", requestid: "req_12345678" };
const limits = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" };
const sent = { "x-request-id": "req_12345678", ...limits };

function check(
  method: string,
  path: string,
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = sent,
): () => void {
  return () =>
    expectConforming(method, `http://localhost${path}`, {
      status,
      body,
      headers: new Headers(headers),
    });
}

const create = "/business/product/create";

describe("an answer", () => {
  it.each([
    ["a success", check("POST", create, 201, created)],
    ["a refusal", check("POST", create, 400, refusal)],
    ["another method", check("GET", create, 405, { ...refusal, code: "method_not_allowed" })],
    ["another audience's path", check("POST", create, 404, { ...refusal, code: "unknown_path" })],
    ["another path", check("GET", "/business/nothing", 404, {})],
    [
      "an operator's",
      check("GET", "/operator/business/list", 401, { ...refusal, code: "missing_credential" }, {}),
    ],
  ])("passes: %s", (_name, checked) => {
    expect(checked).not.toThrow();
  });

  it.each([
    ["an unknown status", check("POST", create, 200, created), /200, which its reference/],
    [
      "an unknown field",
      check("POST", create, 201, { ...created, data: { ...product, secret: "x" } }),
      /the answer\/data must NOT have additional properties/,
    ],
    [
      "a missing field",
      check("POST", create, 201, { ...created, data: {} }),
      /must have required property 'title'/,
    ],
    [
      "a wrong type",
      check("POST", create, 201, { ...created, data: { ...product, price: "50" } }),
      /the answer\/data\/price must be number/,
    ],
    [
      "a code of another status",
      check("POST", create, 400, { ...refusal, code: "conflict" }),
      /the answer\/code must be equal to one of the allowed values/,
    ],
    [
      "a limit that does not say when it ends",
      check("POST", create, 429, { ...refusal, code: "rate_limited" }),
      /must have required property 'retry_after'/,
    ],
    ["a body of no shape", check("POST", create, 201, {}), /must have required property 'success'/],
    ["missing headers", check("POST", create, 201, created, limits), /without X-Request-Id/],
    ["a method that does not exist", check("PUT", create, 201, created), /no such operation/],
  ])("fails: %s", (_name, checked, problem) => {
    expect(checked).toThrow(problem);
  });
});
