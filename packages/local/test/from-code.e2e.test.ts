import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { startLocalSystem } from "../src/index.ts";
import { isAlive, temporaryFolder } from "./fixtures.ts";

async function start() {
  const folder = temporaryFolder();
  const system = await startLocalSystem({ dir: folder.path, port: 0 });
  onTestFinished(async () => system.stop());
  const pids = system.processes().flatMap(({ pid }) => pid ?? []);
  return { system, folder, pids };
}

test("two local systems run side by side, and stopping one leaves the other running", async () => {
  const [one, two] = await Promise.all([start(), start()]);
  expect(one.pids.length).toBeGreaterThanOrEqual(4);
  expect(one.system.environment.businessid).not.toBe(two.system.environment.businessid);

  await one.system.stop();
  expect(one.pids.filter(isAlive)).toEqual([]);
  expect(existsSync(one.folder.environment)).toBe(false);

  const { apiurl, secret } = two.system.environment;
  const response = await fetch(`${apiurl}/business/product/list`, {
    headers: { authorization: secret },
  });
  expect(response.status).toBe(200);
});

test("an aborted start leaves nothing behind and releases its folder", async () => {
  const folder = temporaryFolder();
  const giveUp = new AbortController();
  const starting = startLocalSystem({ dir: folder.path, port: 0, signal: giveUp.signal });
  giveUp.abort();
  await expect(starting).rejects.toThrow("Stopped before it was ready");
  const system = await startLocalSystem({ dir: folder.path, port: 0 });
  await system.stop();
});
