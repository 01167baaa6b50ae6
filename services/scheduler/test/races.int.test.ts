import { addMs, secondMs } from "@malipo/core";
import { newId, openService, platformConfig, readConfig } from "@malipo/platform";
import {
  environmentOn,
  inOwnNamespace,
  type SharedServers,
  startStoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { type Job, jobs } from "../src/domain/jobs.ts";
import { noProgress } from "../src/domain/run.ts";
import { openRuns, type Runs } from "../src/store/runs.ts";

const shared = useSharedServers();
const proxy = await startStoreProxy(shared.mongodbUri);
afterAll(() => proxy.close());
const now = new Date("2026-01-01T06:00:00Z");
/** A scheduler that has not renewed its lease by then has lost it. */
const later = addMs(now, 11 * secondMs);
const before = { side: "before", pattern: { collection: "runs" } } as const;
const [{ name: job }] = jobs as readonly [Job];

async function openScheduler(servers: SharedServers): Promise<Runs> {
  const config = readConfig(platformConfig, environmentOn(servers));
  const service = await openService("scheduler", config, { clock: () => now, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return openRuns(service);
}

/** Two schedulers: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth() {
  const servers = inOwnNamespace(shared);
  const own = await openScheduler({ ...servers, mongodbUri: proxy.mongodbUri });
  return { own, other: await openScheduler(servers) };
}

async function claimed(runs: Runs, at = now) {
  const run = await runs.claim(newId(), at);
  if (!run) throw new Error("a run waits");
  return run;
}

it("a slot that two schedulers open at once has one run", async () => {
  const { own, other } = await openBoth();
  const wanted = { job, slot: now, missed: 0 };
  const won = proxy.interrupt(before, async () => other.open(wanted, now));
  expect(await own.open(wanted, now)).toBeNull();
  await won;
  expect((await other.page({ job, found: "any" }, { page: 1, limit: 10 })).runs).toHaveLength(1);
});

it.each([
  ["waits", now],
  ["was left by a dead scheduler", later],
])("a run that %s goes to one of two schedulers that claim it at once", async (_, at) => {
  const { own, other } = await openBoth();
  const opened = await other.open({ job, slot: now, missed: 0 }, now);
  if (at === later) await claimed(other);
  let winner: string | null = null;
  const won = proxy.interrupt(before, async () => {
    winner = (await claimed(other, at)).owner;
  });
  expect(await own.claim(newId(), at)).toBeNull();
  await won;
  expect((await other.find(opened?.id ?? ""))?.owner).toBe(winner);
});

it.each(["saveProgress", "finish"] as const)(
  "%s of a scheduler that has lost the run leaves it to the other",
  async (write) => {
    const { own, other } = await openBoth();
    await other.open({ job, slot: now, missed: 0 }, now);
    const lost = await claimed(own);
    const progress = { ...noProgress, found: 7 };
    const won = proxy.interrupt(before, async () => claimed(other, later));
    const isSaved =
      write === "saveProgress"
        ? await own.saveProgress(lost, progress, later)
        : await own.finish(lost, progress, "failed", later);
    await won;
    expect(isSaved).toBeFalsy();
    expect(await other.find(lost.id)).toMatchObject({ status: "running", progress: noProgress });
    expect((await other.find(lost.id))?.owner).not.toBe(lost.owner);
  },
);

it("a run that ends while a slot begins does not cover the slot", async () => {
  const { own, other } = await openBoth();
  await other.open({ job, slot: now, missed: 0 }, now);
  const run = await claimed(other);
  const won = proxy.interrupt(before, async () => other.finish(run, noProgress, "done", now));
  await own.cover(run.id, later);
  await won;
  expect(await other.find(run.id)).toMatchObject({ status: "done", covers: null });
});
