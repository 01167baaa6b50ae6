import { expect, it } from "vitest";
import { operatorDoor } from "./audience.ts";
import { failureOf, unreachable } from "./api-errors.ts";

const location = { door: operatorDoor, url: "http://ops", token: "the-secret-token" };
const failed = (status: number, body: object) =>
  failureOf(location, { ok: false, status, body: { ...body } });

it("speaks in the API's words, with every further field's problem beneath", () => {
  const problem = failed(400, {
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

it("reads a refusal's text in either field", () => {
  expect(failed(404, { success: false, message: "Not here" }).message).toBe("Not here.");
});

it("says whose credential was wrong, and where there is no operator API", () => {
  expect(
    failed(401, { success: false, error: "Invalid credential", code: "invalid_credential" })
      .message,
  ).toBe("Invalid credential: http://ops does not know this operator token.");
  expect(failed(404, { success: false, error: "Not found", code: "unknown_path" }).message).toBe(
    "Not found: there is no operator API at http://ops.",
  );
});

it("takes an answer of another shape for another server's", () => {
  for (const body of [{}, { success: true }, { error: "x" }, { success: false }]) {
    expect(failed(502, body)).toMatchObject({
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
])("says why nothing came back (%#)", (error, reason) => {
  expect(unreachable(location, error).message).toBe(
    `Cannot reach http://ops: ${reason}. Is it running?`,
  );
});
