import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testServer } from "./support/server.ts";

const bin = fileURLToPath(new URL("../bin/embedded-mongo.js", import.meta.url));
const run = promisify(execFile);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "embedded-mongo-bin-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function complaint(...given: string[]): Promise<string> {
  const failed = await run(process.execPath, [bin, ...given]).then(
    () => ({ stderr: "it did not fail" }),
    (error: unknown) => error as { stderr: string },
  );
  return failed.stderr.trim();
}

test("the command starts a server and stops on a signal", async () => {
  const child = spawn(process.execPath, [bin, "--port", "0", "--dir", dir]);
  const uri = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /listening on (\S+)/.exec(chunk.toString());
      if (found?.[1] !== undefined) resolve(found[1]);
    });
  });
  const client = await MongoClient.connect(uri);
  await client.db("test").collection("kept").insertOne({ a: 1 });
  await client.close();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  const again = await testServer({ dir });
  expect(await again.client.db("test").collection("kept").countDocuments()).toBe(1);
  expect(await complaint("--port", "0", "--dir", dir)).toContain("another server is using");
  await again.stop();
});

test("the command reports an invalid argument in one sentence", async () => {
  expect(await complaint()).toBe("embedded-mongo: --dir <folder> is required; see --help");
  expect(await complaint("--dir", dir, "--port", "x")).toBe(
    "embedded-mongo: --port x is not a port number",
  );
  expect(await complaint("--dir", dir, "--faults", "odd=1")).toContain("unknown fault 'odd'");
  expect(await complaint("--dir", dir, "--ttl-sweep", "soon")).toBe(
    "embedded-mongo: --ttl-sweep soon is not a whole number of seconds up to 999999",
  );
  expect(await complaint("--nonsense")).toContain("--nonsense");
  const other = await testServer();
  const taken = await complaint("--dir", dir, "--port", String(other.server.port));
  expect(taken).toBe(
    `embedded-mongo: port ${other.server.port} is taken; choose another with --port`,
  );
  await other.stop();
});
