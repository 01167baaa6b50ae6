import { MongoServerError } from "mongodb";
import { describe, expect, it } from "vitest";
import { createLog } from "./log.ts";

function written(fields: object): string {
  const lines: string[] = [];
  const log = createLog("gateway", "info", { write: (line) => void lines.push(line) });
  log.info(fields, "hello");
  log.debug("below the level");
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

it("writes JSON lines", () => {
  expect(JSON.parse(written({ secret: "sk_test_planted" }))).toMatchObject({
    level: "info",
    service: "gateway",
    msg: "hello",
    secret: "[concealed]",
  });
});

describe.each([
  "authorization",
  "Authorization",
  "secret",
  "token",
  "password",
  "phone",
  "email",
  "body",
])("%s", (name) => {
  it.each([
    [{ [name]: "planted" }],
    [{ request: { [name]: "planted" } }],
    [{ request: { headers: { [name]: "planted" } } }],
    [{ err: { writeErrors: [{ op: { [name]: "planted" } }] } }],
    [{ one: { two: { three: { four: { five: { six: { [name]: "planted" } } } } } } }],
  ])("is concealed in %j", (fields) => {
    expect(written(fields)).not.toContain("planted");
  });
});

it("describes errors wherever they are, without the values that a database quotes", () => {
  const message = 'E11000 duplicate key error dup key: { phone: "254712345678" }';
  const error = new MongoServerError({ message, code: 11_000, keyValue: { id: "254712345678" } });
  const line = written({ err: error, tries: [{ failure: error }] });
  expect(line).not.toContain("254712345678");
  expect(JSON.parse(line)).toMatchObject({
    err: { message: "MongoServerError 11000", stack: expect.stringContaining("unit.test") },
    tries: [{ failure: { message: "MongoServerError 11000" } }],
  });
});

it("leaves everything else as it is, also moments and what refers to itself", () => {
  const circle: Record<string, unknown> = { name: "circle" };
  circle["self"] = circle;
  const at = new Date("2026-11-21T08:00:00Z");
  expect(
    JSON.parse(written({ at, route: "invoice.get-product", missing: null, circle })),
  ).toMatchObject({
    at: at.toISOString(),
    route: "invoice.get-product",
    missing: null,
    circle: { name: "circle" },
  });
});
