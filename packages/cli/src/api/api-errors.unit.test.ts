import { expect, it } from "vitest";
import { createUnreachableError, toCommandError } from "./api-errors.ts";
import { operatorAudience } from "./audience.ts";

const location = { audience: operatorAudience, url: "http://ops", token: "the-secret-token" };
const errorOf = (status: number, body: object) =>
  toCommandError(location, { ok: false, status, body: { ...body } });

it("a refusal shows the API's text, and each other invalid field below", () => {
  const problem = errorOf(400, {
    success: false,
    error: "name is required",
    fields: [
      { path: "name", problem: "is required" },
      { path: "plan", problem: "must be one of: free" },
      { path: "phone", problem: "Invalid phone number format" },
      "nonsense",
    ],
  });
  expect(problem).toMatchObject({
    kind: "refused",
    message: "name is required.",
    lines: ["plan must be one of: free", "Invalid phone number format"],
  });
});

it("a refusal's text is read from error or message", () => {
  expect(errorOf(404, { success: false, message: "Not here" }).message).toBe("Not here.");
});

it("a refusal names the address when the token is wrong or the API is not there", () => {
  expect(
    errorOf(401, { success: false, error: "Invalid credential", code: "invalid_credential" })
      .message,
  ).toBe("Invalid credential: http://ops does not know this operator token.");
  expect(errorOf(404, { success: false, error: "Not found", code: "unknown_path" }).message).toBe(
    "Not found: there is no operator API at http://ops.",
  );
});

it("a response of another form means that another server answered", () => {
  for (const body of [{}, { success: true }, { error: "x" }, { success: false }]) {
    expect(errorOf(502, body)).toMatchObject({
      kind: "unreachable",
      message: "http://ops does not answer like an operator API (502).",
    });
  }
});

it.each([
  [new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), "connection refused"],
  [new TypeError("fetch failed", { cause: { code: "EODD" } }), "EODD"],
  [new TypeError("fetch failed", { cause: new Error("bad port") }), "bad port"],
  [new DOMException("aborted", "TimeoutError"), "no answer in time"],
  ["thrown text", "thrown text"],
])("an unreachable system is reported with its reason (%#)", (error, reason) => {
  expect(createUnreachableError(location, error).message).toBe(
    `Cannot reach http://ops: ${reason}. Is it running?`,
  );
});
