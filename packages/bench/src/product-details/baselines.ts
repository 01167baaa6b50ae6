import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "../cpu.ts";
import type { Processes } from "../processes.ts";
import { readReadyLine } from "../read-ready-line.ts";
import { productPath } from "./product-request.ts";

const ownFolder = fileURLToPath(new URL(".", import.meta.url));
const frameworksFolder = fileURLToPath(new URL("../../baselines/", import.meta.url));
const installTimeoutMs = 300_000;
const readyTimeoutMs = 30_000;

/** A gateway, and a service behind NATS that always gives the same answer. */
export type Baseline = {
  readonly name: string;
  readonly what: string;
  readonly gateway: string;
  readonly gatewayArgs?: readonly string[];
  readonly service: string;
};

export const floor: Baseline = {
  name: "node:http",
  what: "bare node:http → NATS → echo, written by hand: the floor",
  gateway: join(ownFolder, "floor-gateway.ts"),
  service: join(ownFolder, "echo-service.ts"),
};

export const nestjs: Baseline = {
  name: "NestJS",
  what: "NestJS 12 on Fastify → NATS → echo microservice, as its documentation sets it up",
  gateway: join(frameworksFolder, "nestjs-gateway.js"),
  service: join(frameworksFolder, "nestjs-service.js"),
};

export const baselines: readonly Baseline[] = [
  floor,
  {
    ...floor,
    name: "node:http batching",
    what: "the floor, which sends the requests of one event-loop turn in one write, as we do",
    gatewayArgs: ["batch"],
  },
  {
    name: "Fastify",
    what: "Fastify → NATS → the same echo",
    gateway: join(ownFolder, "fastify-gateway.ts"),
    service: join(ownFolder, "echo-service.ts"),
  },
  nestjs,
  {
    ...nestjs,
    name: "NestJS tuned",
    what: "the same, with noAsyncTraces of its NATS client set, as in ours",
    gatewayArgs: ["no-traces"],
  },
  {
    name: "Moleculer",
    what: "Moleculer-web → NATS → echo service",
    gateway: join(frameworksFolder, "moleculer-gateway.js"),
    service: join(frameworksFolder, "moleculer-service.js"),
  },
];

/** The frameworks have a separate lockfile, so that only this benchmark installs them. */
export async function installBaselines(
  processes: Processes,
  onProgress: (text: string) => void,
): Promise<void> {
  const installed = join(frameworksFolder, "node_modules", ".package-lock.json");
  const isInstalled = await access(installed).then(
    async () =>
      (await stat(installed)).mtimeMs >=
      (await stat(join(frameworksFolder, "package-lock.json"))).mtimeMs,
    () => false,
  );
  if (isInstalled) return;
  onProgress("installing the frameworks to compare with (once)");
  const npm = processes.start("npm ci", {
    command: "npm",
    args: ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    cwd: frameworksFolder,
  });
  await npm.output(installTimeoutMs);
}

export type RunningBaseline = { readonly url: string; readonly parts: readonly Part[] };

export async function startBaseline(
  processes: Processes,
  baseline: Baseline,
  nats: { readonly url: string; readonly part: Part },
  product: { readonly id: string; readonly reply: string },
): Promise<RunningBaseline> {
  const subject = `bench-${baseline.name.replaceAll(/[^A-Za-z]/g, "")}`;
  const start = (part: "gateway" | "service", ...args: readonly string[]) =>
    processes.start(`${baseline.name} ${part}`, {
      command: process.execPath,
      args: ["--conditions=@malipo/source", baseline[part], nats.url, subject, ...args],
      env: { NODE_ENV: "production" },
    });
  const service = start("service", product.reply);
  await readReadyLine(service, readyTimeoutMs);
  const gateway = start("gateway", ...(baseline.gatewayArgs ?? []));
  const { port } = await readReadyLine(gateway, readyTimeoutMs);
  return {
    url: `http://127.0.0.1:${port}${productPath}${product.id}`,
    parts: [
      { name: "gateway", pid: gateway.pid },
      { name: "service", pid: service.pid },
      nats.part,
    ],
  };
}
