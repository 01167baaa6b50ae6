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
const failure = { success: false, error: "No", code: "invalid_json", requestid: "req_12345678" };
const limits = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" };
const allHeaders = { "x-request-id": "req_12345678", ...limits };

function check(
  method: string,
  path: string,
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = allHeaders,
): () => void {
  return () =>
    expectConforming(method, `http://localhost${path}`, {
      status,
      body,
      headers: new Headers(headers),
    });
}

const create = "/business/product/create";

describe("expectConforming", () => {
  it.each([
    ["a success body", check("POST", create, 201, created)],
    ["a failure body", check("POST", create, 400, failure)],
    [
      "405 for a method that the path does not have",
      check("GET", create, 405, { ...failure, code: "method_not_allowed" }),
    ],
    [
      "404 for a path of another audience",
      check("POST", create, 404, { ...failure, code: "unknown_path" }),
    ],
    ["404 for a path that is not in the reference", check("GET", "/business/nothing", 404, {})],
    [
      "an operator's answer without rate-limit headers",
      check("GET", "/operator/business/list", 401, { ...failure, code: "missing_credential" }, {}),
    ],
  ])("accepts %s", (_name, checked) => {
    expect(checked).not.toThrow();
  });

  it.each([
    [
      "a status that is not in the reference",
      check("POST", create, 200, created),
      /200, a status that the reference does not list/,
    ],
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
      "a failure code of another status",
      check("POST", create, 400, { ...failure, code: "conflict" }),
      /the answer\/code must be equal to one of the allowed values/,
    ],
    [
      "a 429 without retry_after",
      check("POST", create, 429, { ...failure, code: "rate_limited" }),
      /must have required property 'retry_after'/,
    ],
    ["an empty body", check("POST", create, 201, {}), /must have required property 'success'/],
    ["missing headers", check("POST", create, 201, created, limits), /without X-Request-Id/],
    [
      "a success of a method that is not in the reference",
      check("PUT", create, 201, created),
      /no such operation/,
    ],
  ])("refuses %s", (_name, checked, problem) => {
    expect(checked).toThrow(problem);
  });
});
