import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { endLeftovers } from "../src/supervisor/leftovers.ts";
import { openLogFiles } from "../src/supervisor/log-files.ts";
import { freePort, freePorts } from "../src/supervisor/ports.ts";
import type { Program } from "../src/supervisor/program.ts";
import { runPlan } from "../src/run-plan.ts";
import { isAlive, temporaryFolder } from "./fixtures.ts";
import { listener } from "./listener.ts";

async function run(groups: Program[][]) {
  const folder = temporaryFolder();
  const reports: string[] = [];
  const logs = openLogFiles(folder.logs, () => undefined);
  const running = runPlan({ groups }, folder, logs, (line) => reports.push(line));
  onTestFinished(async () => {
    await running.stop();
    logs.close();
  });
  return {
    running,
    reports,
    pidOf: (name: string) => running.processes().find((each) => each.name === name)?.pid,
  };
}

async function killedParent() {
  const folder = temporaryFolder();
  const ports = await freePorts(2);
  const parent = spawn(
    process.execPath,
    [join(import.meta.dirname, "supervised-parent.ts"), folder.path, ...ports.map(String)],
    { stdio: ["ignore", "pipe", "inherit"], detached: true },
  );
  const [line] = await once(parent.stdout, "data");
  const { pids, guard } = JSON.parse(String(line)) as { pids: number[]; guard: number };
  expect(pids.every(isAlive)).toBe(true);
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  return { folder, parent, pids, guard };
}

test("the supervisor restarts a killed program and does not touch the others", async () => {
  const [first = 0, second = 0] = await freePorts(2);
  const system = await run([
    [listener("killed", first, "exits")],
    [listener("other", second, "exits")],
  ]);
  await system.running.ready();
  const before = { killed: system.pidOf("killed") ?? 0, other: system.pidOf("other") };

  process.kill(before.killed, "SIGKILL");
  await vi.waitFor(() => expect(system.pidOf("killed")).not.toBe(before.killed), { interval: 5 });
  const program = listener("killed", first, "exits");
  await vi.waitFor(async () => expect(await program.isReady()).toBe(true), 5000);

  expect(system.pidOf("other")).toBe(before.other);
  expect(system.reports).toEqual(["killed ended (SIGKILL); restarting."]);
});

test("stop kills a program that ignores SIGTERM", async () => {
  const port = await freePort();
  const system = await run([[listener("stubborn", port, "ignores it")]]);
  await system.running.ready();
  const pid = system.pidOf("stubborn") ?? 0;
  await system.running.stop();
  expect(isAlive(pid)).toBe(false);
  expect(system.reports).toEqual([]);
});

test("stop ends the wait for a restart at once and starts nothing again", async () => {
  const failing = { ...listener("failing", 1, "exits"), args: ["-e", "process.exit(3)"] };
  const system = await run([[failing]]);
  await vi.waitFor(() => expect(system.reports.length).toBeGreaterThan(2), 5000);
  const began = performance.now();
  await system.running.stop();
  expect(performance.now() - began).toBeLessThan(1000);
  expect(system.running.processes()).toEqual([{ name: "failing", pid: undefined }]);
});

test("ready rejects when it is aborted, and a program that cannot be started is reported", async () => {
  const missing = { ...listener("missing", 1, "exits"), command: "/nowhere/to-be-found" };
  const system = await run([[missing]]);
  await vi.waitFor(() => expect(system.reports[0]).toContain("ENOENT"), 5000);
  await expect(system.running.ready(AbortSignal.abort())).rejects.toThrow("Stopped before");
});

test("no process outlives a killed supervisor", async () => {
  const { parent, pids, guard } = await killedParent();
  parent.kill("SIGKILL");
  await vi.waitFor(() => expect([...pids, guard].filter(isAlive)).toEqual([]), 5000);
});

test("no process outlives a supervisor whose whole process group is killed", async () => {
  const { parent, pids, guard } = await killedParent();
  process.kill(-(parent.pid ?? Number.NaN), "SIGKILL");
  await vi.waitFor(() => expect([...pids, guard].filter(isAlive)).toEqual([]), 5000);
});

test("a killed guard is replaced, and the new one ends the processes", async () => {
  const { parent, pids, guard } = await killedParent();
  process.kill(guard, "SIGKILL");
  const [line] = await once(parent.stdout, "data");
  expect(JSON.parse(String(line))).toEqual({ pids, guard: expect.any(Number) });
  parent.kill("SIGKILL");
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 5000);
});

test("endLeftovers ends processes that outlived both the supervisor and its guard", async () => {
  const { folder, parent, pids, guard } = await killedParent();
  process.kill(parent.pid ?? Number.NaN, "SIGSTOP");
  process.kill(guard, "SIGKILL");
  parent.kill("SIGKILL");
  await once(parent, "exit");
  expect(pids.every(isAlive)).toBe(true);

  expect(await endLeftovers(folder.pids)).toEqual(["polite", "stubborn"]);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await endLeftovers(folder.pids)).toEqual([]);
});
