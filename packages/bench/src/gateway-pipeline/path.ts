import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import type { BenchPath, Run } from "../path.ts";
import { contenderFor, type Target } from "../product-details/contender.ts";
import { type LocalSystem, startLocalSystem } from "../product-details/local-system.ts";
import { productPath } from "../product-details/product-request.ts";
import { assertWrkIsInstalled } from "../product-details/wrk.ts";
import { readReadyLine } from "../read-ready-line.ts";
import { atMost, number, type Outcome, share, withSpread } from "../report.ts";
import {
  comparisonOf,
  ratePerSecond,
  runRounds,
  type Sample,
  samplesOf,
  summaryOf,
} from "../rounds.ts";

const whole = "whole pipeline";
const bare = "bare route";
const stepName = "product details";
const addedMax = 0.35;
const warmupSeconds = 3;
const readyTimeoutMs = 30_000;

export const gatewayPipelinePath: BenchPath = {
  name: "gateway-pipeline",
  measures: "what authentication and rate limits add to the gateway's own CPU for a routed GET",
  baselines: [`${bare}: the same gateway and route, with nothing before it`],
  effort: { rounds: 11, seconds: 2, connections: 64 },
  run: measurePipeline,
};

async function measurePipeline(run: Run): Promise<Outcome> {
  const { processes, rounds, seconds, onProgress } = run;
  await assertWrkIsInstalled(processes);
  onProgress("starting the whole system and the bare gateway");
  const system = await startLocalSystem(processes);
  const contenders = [
    contenderFor(run, whole, system),
    contenderFor(run, bare, await startBareGateway(run, system)),
  ];
  const steps = [{ name: stepName, contenders }];
  const measurements = await runRounds(steps, { rounds, seconds, warmupSeconds, onProgress });
  const [ours, theirs] = [whole, bare].map((name) => samplesOf(measurements, stepName, name));
  const added = comparisonOf(ours ?? [], theirs ?? [], gatewayCpu, (one, other) => one / other - 1);
  return {
    measurements,
    tables: [
      {
        title: "GET /business/product/details/:id; medians (spread)",
        columns: ["", "requests/s", "gateway CPU µs"],
        rows: measurements.map(({ contender, samples }) => [
          contender,
          number(summaryOf(samples, ratePerSecond).median),
          withSpread(summaryOf(samples, gatewayCpu)),
        ]),
      },
      {
        title: "What the pipeline adds to the gateway's CPU",
        columns: ["", "share"],
        rows: [[whole, withSpread(added, share)]],
      },
    ],
    bars: [
      atMost({ name: "added by authentication and rate limits", limit: addedMax }, added.median),
    ],
  };
}

const gatewayCpu = (sample: Sample) => sample.cpuMicros["gateway"] ?? Number.NaN;

async function startBareGateway({ processes }: Run, system: LocalSystem): Promise<Target> {
  const { environment, businessid, product, parts } = system;
  const entry = join(workspaceRoot, "services/gateway/test/bare-gateway.ts");
  const gateway = processes.start(bare, {
    command: process.execPath,
    args: ["--conditions=@malipo/source", entry, businessid],
    env: {
      NATS_URL: environment.natsurl,
      NATS_USER: environment.natsuser,
      NATS_PASSWORD: environment.natspassword,
      MONGODB_URI: environment.mongodburi,
      HOST: "127.0.0.1",
      PORT: "0",
      HEALTH_HOST: "127.0.0.1",
      HEALTH_PORT: "0",
      OPERATOR_TOKEN: randomBytes(32).toString("hex"),
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      CALLBACK_KEY: randomBytes(32).toString("hex"),
    },
  });
  const { port } = await readReadyLine(gateway, readyTimeoutMs);
  return {
    url: `http://127.0.0.1:${port}${productPath}${product.id}`,
    parts: [
      ...parts.filter(({ name }) => name !== "gateway"),
      { name: "gateway", pid: gateway.pid },
    ],
  };
}
