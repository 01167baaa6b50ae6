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
    [{ err: { writeErrors: { op: { [name]: "planted" } } } }],
  ])("is concealed in %j", (fields) => {
    expect(written(fields)).not.toContain("planted");
  });
});
