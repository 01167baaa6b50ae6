import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { call, idIn } from "@malipo/testing/without-vitest";
import { cpuPerOperationDuring } from "../cpu.ts";
import type { BenchPath, Run } from "../path.ts";
import { contenderFor } from "../product-details/contender.ts";
import { type LocalSystem, startLocalSystem } from "../product-details/local-system.ts";
import { assertWrkIsInstalled, runWrk } from "../product-details/wrk.ts";
import { atLeast, number, type Outcome, share, withSpread } from "../report.ts";
import {
  comparisonOf,
  type Contender,
  cpuPerOperation,
  ratePerSecond,
  runRounds,
  type Sample,
  samplesOf,
  summaryOf,
} from "../rounds.ts";
import { ratio } from "../statistics.ts";

const reading = "product read";
const stepName = "through the gateway";
/** A create runs through all processes; they reach their full speed after this time. */
const warmupSeconds = 20;
/** A create waits for the disk and for other services; with few in flight the machine is idle. */
const connections = 400;
const parts = ["gateway", "service", "subscription", "payment", "webhook", "nats", "store"];

/** What is created, and the least rate as a share of the rate of a read. */
interface Creation {
  readonly name: string;
  readonly path: string;
  readonly shareMin: number;
  readonly body: (ids: { readonly customerid: string; readonly itemid: string }) => object;
}

export const invoiceCreatePath = createPath("invoice-create", {
  name: "invoice create",
  path: "/business/invoice/create",
  shareMin: 0.18,
  body: ({ customerid, itemid }) => ({
    customerid,
    items: [{ itemid, quantity: 1, rate: 2_500 }],
    duedate: "2030-01-31",
  }),
});

export const subscriptionCreatePath = createPath("subscription-create", {
  name: "subscription create",
  path: "/business/subscription/create",
  shareMin: 0.1,
  body: ({ customerid, itemid }) => ({
    customerid,
    items: [{ itemid, quantity: 1, rate: 2_500 }],
    billingcycle: "monthly",
    autorenew: false,
    channel: "momo",
    paymentmethod: "momo",
  }),
});

function createPath(name: string, creation: Creation): BenchPath {
  return {
    name,
    measures: `what POST ${creation.path} costs, each with another Idempotency-Key`,
    baselines: [`${reading}: GET /business/product/details/:id of the same system`],
    effort: { rounds: 9, seconds: 3, connections },
    run: (run) => measureCreate(run, creation),
  };
}

async function measureCreate(run: Run, creation: Creation): Promise<Outcome> {
  const { processes, rounds, seconds, onProgress } = run;
  const creating = creation.name;
  await assertWrkIsInstalled(processes);
  onProgress("starting the whole system");
  const system = await startLocalSystem(processes);
  const contenders = [await creator(run, system, creation), contenderFor(run, reading, system)];
  const settings = { rounds, seconds, warmupSeconds, onProgress };
  const measurements = await runRounds([{ name: stepName, contenders }], settings);
  const [ours, theirs] = [creating, reading].map((name) => samplesOf(measurements, stepName, name));
  const compared = (figure: (sample: Sample) => number) =>
    comparisonOf(ours ?? [], theirs ?? [], figure, ratio);
  return {
    measurements,
    tables: [
      {
        title: "Requests through the gateway; medians (spread), CPU in µs per request",
        columns: ["", "requests/s", ...parts, "together"],
        rows: measurements.map(({ contender, samples }) => [
          contender,
          withSpread(summaryOf(samples, ratePerSecond)),
          ...parts.map((part) => number(summaryOf(samples, cpuOf(part)).median)),
          withSpread(summaryOf(samples, cpuPerOperation)),
        ]),
      },
      {
        title: `${creating} ÷ ${reading}`,
        columns: ["", "ratio"],
        rows: [
          ["requests/s", withSpread(compared(ratePerSecond), share)],
          ["CPU", withSpread(compared(cpuPerOperation), share)],
        ],
      },
    ],
    bars: [
      atLeast(
        { name: `${creating} ÷ ${reading}, requests per second`, limit: creation.shareMin },
        compared(ratePerSecond).median,
      ),
    ],
  };
}

const cpuOf = (part: string) => (sample: Sample) => sample.cpuMicros[part] ?? 0;

async function creator(
  run: Run,
  system: LocalSystem,
  { name, path, body: bodyOf }: Creation,
): Promise<Contender> {
  const { processes, connections } = run;
  const { apiurl } = system.environment;
  const { authorization = "" } = system.headers;
  const customer = await call(`${apiurl}/business/customer/create`, "POST", authorization, {
    name: "Asha Wanjiru",
    phone: "254712345678",
  });
  const body = JSON.stringify(bodyOf({ customerid: idIn(customer), itemid: system.product.id }));
  const url = `${apiurl}${path}`;
  const script = join(await processes.temporaryFolder(), "create.lua");
  return {
    name,
    measure: async (seconds) => {
      await writeFile(script, scriptOf(body));
      return cpuPerOperationDuring(system.parts, () =>
        runWrk(processes, { url, headers: system.headers, connections, seconds, script }),
      );
    },
  };
}

/** A script for wrk that gives each request a unique Idempotency-Key, across all rounds. */
function scriptOf(body: string): string {
  return `
local count = 0
wrk.method = "POST"
wrk.body = ${JSON.stringify(body)}
wrk.headers["Content-Type"] = "application/json"
function request()
  count = count + 1
  wrk.headers["Idempotency-Key"] = "${randomBytes(8).toString("hex")}-" .. count
  return wrk.format()
end
`;
}
