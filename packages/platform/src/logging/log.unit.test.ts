import { execFile } from "node:child_process";
import { promisify } from "node:util";
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

it("writes JSON lines with level, service and message", () => {
  expect(JSON.parse(written({ secret: "sk_test_planted" }))).toMatchObject({
    level: "info",
    service: "gateway",
    msg: "hello",
    secret: "[redacted]",
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
  ])("is redacted in %j", (fields) => {
    expect(written(fields)).not.toContain("planted");
  });
});

it("describes errors at any depth, without the values that a database quotes", () => {
  const message = 'E11000 duplicate key error dup key: { phone: "254712345678" }';
  const error = new MongoServerError({ message, code: 11_000, keyValue: { id: "254712345678" } });
  const line = written({ err: error, tries: [{ failure: error }] });
  expect(line).not.toContain("254712345678");
  expect(JSON.parse(line)).toMatchObject({
    err: { message: "MongoServerError 11000", stack: expect.stringContaining("unit.test") },
    tries: [{ failure: { message: "MongoServerError 11000" } }],
  });
});

it("leaves other fields unchanged, dates and circular references included", () => {
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

/** The output of a process that runs this script with a log. */
async function outputOf(script: string): Promise<string> {
  const log = new URL("log.ts", import.meta.url).href;
  const source = `const { createLog } = await import(${JSON.stringify(log)});
    const log = createLog("gateway", "info");
    ${script}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@malipo/source", "--input-type=module", "--eval", source],
    { maxBuffer: 10_000_000 },
  ).catch((error: unknown) => error as { readonly stdout: string });
  return stdout;
}

const manyLines = `for (let line = 0; line < 5_000; line += 1) log.info({ line }, "many");`;

describe("the buffer of log lines", () => {
  it.each([
    ["process.exit is called", "process.exit(0)"],
    ["an error is not caught", 'throw new Error("a bug")'],
  ])("is written in full and in order when %s", async (_, end) => {
    const written = (await outputOf(`${manyLines} ${end}`)).trim().split("\n");
    expect(written.map((line) => JSON.parse(line).line)).toEqual(
      Array.from({ length: 5_000 }, (_each, index) => index),
    );
  });

  it("is written within a second while the process runs", async () => {
    const script = `log.info("early"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 900);`;
    expect(await outputOf(script)).toContain('"msg":"early"');
  });
});
