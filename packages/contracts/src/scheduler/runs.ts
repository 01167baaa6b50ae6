import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

export const jobNames = [
  "subscriptions-due",
  "invoices-overdue",
  "billings-compared",
  "payments-compared",
] as const;

export type JobName = (typeof jobNames)[number];

const jobName = z.enum(jobNames);
const count = z.int().min(0);

const runView = z.object({
  _id: objectId,
  job: jobName,
  /** The time slot of the run; null if an operator started it. */
  slot: timestamp.nullable(),
  /** The newest slot that began while it ran. The run covers that slot too. */
  covers: timestamp.nullable(),
  /** How many slots passed without a scheduler since the previous run. */
  missed: count,
  status: z.enum(["waiting", "running", "done", "failed"]),
  found: count,
  done: count,
  skipped: count,
  failed: count,
  shares: z.object({ done: count, of: count }),
  /** Seconds that the oldest record it found was overdue. */
  lagseconds: z.number().nullable(),
  seconds: z.number().nullable(),
  /** How often another scheduler took over the run after one had stopped. */
  takeovers: count,
  problem: z.string().nullable(),
  startedat: timestamp.nullable(),
  endedat: timestamp.nullable(),
  createdat: timestamp,
});

export type RunView = z.infer<typeof runView>;

const jobView = z.object({
  name: jobName,
  about: z.string(),
  everyseconds: z.number(),
  limit: count,
  concurrency: count,
  lastrun: runView.nullable(),
});

export type JobView = z.infer<typeof jobView>;

const operatorRoute = { audience: "operator", service: "scheduler", rateClass: "none" } as const;

export const runRoutes = {
  listJobs: route({
    ...operatorRoute,
    verb: "list-jobs",
    method: "GET",
    path: "/operator/job/overview",
    summary: "What the scheduler does again and again, each with its last run",
    reply: { status: 200, data: z.array(jobView) },
  }),
  listRuns: route({
    ...operatorRoute,
    verb: "list-runs",
    method: "GET",
    path: "/operator/run/list",
    summary: "Runs of the last week, newest first",
    query: listQuery({ job: jobName.optional(), found: z.enum(["any", "some"]).default("any") }),
    reply: { status: 200, data: z.array(runView), paging: "meta" },
  }),
  getRun: route({
    ...operatorRoute,
    verb: "get-run",
    method: "GET",
    path: "/operator/run/details/:id",
    summary: "One run, as far as it has come",
    params: { id: "run" },
    reply: { status: 200, data: runView },
  }),
  startRun: route({
    ...operatorRoute,
    verb: "start-run",
    method: "POST",
    path: "/operator/run/start",
    summary: "Run a job now, whatever its clock says",
    body: z.object({ job: jobName }),
    reply: { status: 200, message: "Run started successfully", data: runView },
  }),
} as const;
