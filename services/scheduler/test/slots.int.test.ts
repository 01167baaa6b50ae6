import { addMs } from "@malipo/core";
import { newId, openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { openSlot } from "../src/jobs/scheduler-loop.ts";
import { jobs } from "../src/domain/jobs.ts";
import { noProgress } from "../src/domain/run.ts";
import { openRuns } from "../src/store/runs.ts";

const shared = useSharedServers();
const now = new Date("2026-01-01T06:00:00Z");
const [job] = jobs;

async function openTestRuns() {
  const servers = inOwnNamespace(shared);
  const config = readConfig(platformConfig, environmentOn(servers));
  const service = await openService("scheduler", config, { clock: () => now, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return openRuns(service);
}

it("an active run that an operator started covers the slots that begin while it is active", async () => {
  if (!job) throw new Error("expected a job");
  const runs = await openTestRuns();
  const slot = (index: number) => addMs(now, index * job.everyMs);
  const listed = async () => {
    const page = await runs.page({ job: job.name, found: "any" }, { page: 1, limit: 10 });
    return page.runs.map((run) => [run.slot, run.covers, run.missed]);
  };
  await openSlot(runs, job, slot(0));
  const first = await runs.claim(newId(), slot(0));
  if (!first) throw new Error("expected a run to claim");
  await runs.finish(first, noProgress, "done", slot(0));

  await runs.open({ job: job.name, slot: null, missed: 0 }, addMs(slot(0), 1));
  await openSlot(runs, job, slot(1));
  await openSlot(runs, job, slot(2));
  expect(await listed()).toEqual([
    [null, slot(2), 0],
    [slot(0), null, 0],
  ]);

  expect(await runs.claim(newId(), slot(2), [job.name])).toBeNull();
  const asked = await runs.claim(newId(), slot(2));
  if (!asked) throw new Error("expected a run to claim");
  await runs.finish(asked, noProgress, "done", slot(2));
  await openSlot(runs, job, slot(2));
  await openSlot(runs, job, slot(4));
  expect((await listed())[0]).toEqual([slot(4), null, 1]);
  expect(await listed()).toHaveLength(3);
});
