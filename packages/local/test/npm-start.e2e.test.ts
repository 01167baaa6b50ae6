import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames } from "@malipo/contracts";
import { MongoClient, type MongoServerError } from "mongodb";
import { afterAll, expect, test, vi } from "vitest";
import type { Environment } from "../src/folder/environment.ts";
import { freePort } from "../src/supervisor/ports.ts";
import {
  environmentOf,
  memoryMb,
  npmStart,
  pressCtrlC,
  processesOf,
  stillRunning,
  type Started,
} from "./npm-start.ts";

const dir = mkdtempSync(join(tmpdir(), "malipo-start-"));
const port = await freePort();
const stopWithinMs = 5000;
const memoryMaxMb = 500;
let running: Started | undefined;
let first: Environment;
let firstProcesses: readonly string[];

async function start(...flags: string[]): Promise<Started> {
  const started = npmStart("--dir", dir, "--port", String(port), ...flags);
  running = started;
  await vi.waitFor(
    () => {
      expect({ exitCode: started.child.exitCode, said: started.output() }).toEqual({
        exitCode: null,
        said: expect.stringContaining("Ctrl-C"),
      });
    },
    { timeout: 30_000, interval: 20 },
  );
  return started;
}

async function refused(...flags: string[]): Promise<string> {
  const { exited, output } = npmStart(...flags);
  expect(await exited).toBe(1);
  return output();
}

/** Returns the code with which the store refused to list its databases. */
async function readWithoutPassword(uri: string): Promise<string | undefined> {
  const client = new MongoClient(uri.replace(/\/\/.*@/, "//"));
  const refusal = await client
    .db()
    .admin()
    .listDatabases()
    .then(
      () => undefined,
      (error: MongoServerError) => error.codeName,
    );
  await client.close();
  return refusal;
}

async function products(environment = environmentOf(dir)): Promise<{ _id: string }[]> {
  const response = await fetch(`${environment.apiurl}/business/product/list`, {
    headers: { authorization: environment.secret },
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { _id: string }[] }).data;
}

afterAll(async () => {
  if (running !== undefined && running.child.exitCode === null) {
    pressCtrlC(running);
    await running.exited;
  }
  rmSync(dir, { recursive: true, force: true });
});

test("npm start starts and seeds everything and writes environment.json", async () => {
  await start();
  first = environmentOf(dir);
  firstProcesses = Object.keys(processesOf(dir)).toSorted();
  expect(first).toMatchObject({
    apiurl: `http://127.0.0.1:${port}`,
    secret: expect.stringMatching(/^sk_test_/),
    operatorurl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    operatortoken: expect.any(String),
    simulatorurl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    mongodburi: expect.stringMatching(/^mongodb:\/\/malipo:[\w-]{43}@127\.0\.0\.1:/),
    natsurl: expect.stringMatching(/^nats:\/\/127\.0\.0\.1:/),
    natsuser: "malipo-owner",
  });
  for (const id of [first.businessid, first.customerid, first.productid]) {
    expect(id).toMatch(/^[0-9a-f]{24}$/);
  }
  expect(await readWithoutPassword(first.mongodburi)).toBe("Unauthorized");
  expect((await products()).map(({ _id }) => _id)).toEqual([first.productid]);
});

test("npm start runs the M-Pesa simulator and prints the address of its phone", async () => {
  const ready = await fetch(`${first.simulatorurl}/readyz`);
  expect(ready.status).toBe(200);
  expect(running?.output()).toContain(`${first.simulatorurl}/phone`);
});

test("the printed curl command succeeds", async () => {
  const command = running
    ?.output()
    .split("\n")
    .find((line) => line.includes("curl"));
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --silent --fail`]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
});

test.runIf(process.platform === "linux")(
  `all processes together use less than ${memoryMaxMb} MB`,
  () => {
    expect(memoryMb(processesOf(dir))).toBeLessThan(memoryMaxMb);
  },
);

test("npm start refuses a folder that is in use, also with --fresh", async () => {
  expect(await refused("--dir", dir, "--port", "0")).toContain(`Malipo already runs on ${dir}`);
  expect(await refused("--dir", dir, "--port", "0", "--fresh")).toContain("already runs");
  expect(await products()).toHaveLength(1);
});

test("npm start reports a taken port in one sentence without a stack", async () => {
  const other = mkdtempSync(join(tmpdir(), "malipo-start-"));
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const taken = String((server.address() as AddressInfo).port);
  const said = await refused("--dir", other, "--port", taken);
  expect(said).toContain(`Port ${taken} is taken by another program`);
  expect(said).not.toMatch(/\n\s+at /);
  server.close();
  rmSync(other, { recursive: true });
});

test("npm start reports an unusable folder in one sentence without a stack", async () => {
  const said = await refused("--dir", join(dir, "environment.json"), "--port", "0");
  expect(said).toContain("environment.json cannot be used");
  expect(said).not.toMatch(/\n\s+at /);
});

test("each killed process is restarted, and requests succeed again", async () => {
  for (const [name, { pid }] of Object.entries(processesOf(dir))) {
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(processesOf(dir)[name]?.pid).not.toBe(pid), 10_000);
    // Each attempt is a request of the demo business, whose plan allows one a second.
    const retry = { timeout: 20_000, interval: 1_500 };
    await vi.waitFor(async () => expect(await products()).toHaveLength(1), retry);
  }
});

test("Ctrl-C twice stops everything within 5 s and leaves no process", async () => {
  const started = running as Started;
  const processes = processesOf(dir);
  expect(stillRunning(processes)).toHaveLength(Object.keys(processes).length);
  const began = performance.now();
  pressCtrlC(started);
  pressCtrlC(started);
  expect({ code: await started.exited, said: started.output() }).toMatchObject({ code: 0 });
  expect(performance.now() - began).toBeLessThan(stopWithinMs);
  expect(stillRunning(processes)).toEqual([]);
  expect(existsSync(join(dir, "environment.json"))).toBe(false);
  await expect(fetch(first.apiurl)).rejects.toThrow("fetch failed");
});

test("npm start runs all services in one process", () => {
  expect(firstProcesses).toEqual(["embedded-mongo", "mpesa-simulator", "nats-server", "services"]);
});

test("--processes runs one process for each service, on the same data and seed", async () => {
  await start("--processes");
  expect(Object.keys(processesOf(dir))).toEqual(expect.arrayContaining([...serviceNames]));
  const again = environmentOf(dir);
  expect(again.secret).toBe(first.secret);
  expect((await products(again)).map(({ _id }) => _id)).toEqual([first.productid]);
});

test("npm start after a killed supervisor finds no process and replaces environment.json", async () => {
  const processes = processesOf(dir);
  const stale = readFileSync(join(dir, "environment.json"), "utf8");
  process.kill(-(running?.child.pid ?? Number.NaN), "SIGKILL");
  await running?.exited;
  await start();
  expect(stillRunning(processes)).toEqual([]);
  expect(readFileSync(join(dir, "environment.json"), "utf8")).not.toBe(stale);
  expect(await products()).toHaveLength(1);
});

test("the system stops in order when only npm is killed", async () => {
  const processes = processesOf(dir);
  process.kill(running?.child.pid ?? Number.NaN, "SIGKILL");
  await vi.waitFor(() => expect(stillRunning(processes)).toEqual([]), stopWithinMs + 1000);
  expect(existsSync(join(dir, "environment.json"))).toBe(false);
});

test("--fresh deletes the data and seeds another business", async () => {
  await start("--fresh");
  const anew = environmentOf(dir);
  expect(anew.businessid).not.toBe(first.businessid);
  expect((await products(anew)).map(({ _id }) => _id)).toEqual([anew.productid]);
  const response = await fetch(`${anew.apiurl}/business/product/list`, {
    headers: { authorization: first.secret },
  });
  expect(response.status).toBe(401);
});
