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

/** Starts the command and waits until it listens. */
async function listening(env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [bin, "--port", "0", "--dir", dir], {
    env: { ...process.env, ...env },
  });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const uri = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /listening on (\S+)/.exec(printed);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  return {
    uri,
    /** Stops the command with a signal. */
    stop: async () => {
      child.kill("SIGTERM");
      return { exitCode: await closed, printed };
    },
  };
}

test("the command starts a server, warns of open access, and stops on a signal", async () => {
  const started = await listening();
  const client = await MongoClient.connect(started.uri);
  await client.db("test").collection("kept").insertOne({ a: 1 });
  await client.close();
  expect(await started.stop()).toEqual({
    exitCode: 0,
    printed: expect.stringContaining("warning: no authentication"),
  });
  const again = await testServer({ dir });
  expect(await again.client.db("test").collection("kept").countDocuments()).toBe(1);
  expect(await complaint("--port", "0", "--dir", dir)).toContain("another server is using");
  await again.stop();
});

test("with a user in the environment, the command asks for the password and does not print it", async () => {
  const auth = { username: "malipo", password: "a-password-of-tests-0123456789" };
  const started = await listening({
    EMBEDDED_MONGO_USER: auth.username,
    EMBEDDED_MONGO_PASSWORD: auth.password,
  });
  const client = await MongoClient.connect(started.uri, { auth });
  expect(await client.db("test").collection("kept").countDocuments()).toBe(1);
  await client.close();
  const stranger = await MongoClient.connect(started.uri);
  await expect(stranger.db("test").collection("kept").countDocuments()).rejects.toThrow(
    "requires authentication",
  );
  await stranger.close();
  const { printed } = await started.stop();
  expect(printed).not.toContain("warning");
  expect(printed).not.toContain(auth.password);
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
