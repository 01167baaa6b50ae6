import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "../cpu.ts";
import type { Processes } from "../processes.ts";
import { readyFacts } from "../read-ready-line.ts";
import { productPath } from "./product-request.ts";

const ours = fileURLToPath(new URL(".", import.meta.url));
const theirs = fileURLToPath(new URL("../../baselines/", import.meta.url));
const installTimeoutMs = 300_000;
const readyTimeoutMs = 30_000;

/** A gateway and the service it asks over NATS, which knows one answer. */
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
  gateway: join(ours, "floor-gateway.ts"),
  service: join(ours, "echo-service.ts"),
};

export const nestjs: Baseline = {
  name: "NestJS",
  what: "NestJS 12 on Fastify → NATS → echo microservice, as its documentation sets it up",
  gateway: join(theirs, "nestjs-gateway.js"),
  service: join(theirs, "nestjs-service.js"),
};

export const baselines: readonly Baseline[] = [
  floor,
  {
    ...floor,
    name: "node:http batching",
    what: "the floor, sending the requests of one event-loop turn in one write, as we do",
    gatewayArgs: ["batch"],
  },
  {
    name: "Fastify",
    what: "Fastify → NATS → the same echo",
    gateway: join(ours, "fastify-gateway.ts"),
    service: join(ours, "echo-service.ts"),
  },
  nestjs,
  {
    ...nestjs,
    name: "NestJS tuned",
    what: "the same, its NATS client told to make no stack traces that nobody reads, as ours is",
    gatewayArgs: ["no-traces"],
  },
  {
    name: "Moleculer",
    what: "Moleculer-web → NATS → echo service",
    gateway: join(theirs, "moleculer-gateway.js"),
    service: join(theirs, "moleculer-service.js"),
  },
];

/** The frameworks have a lockfile of their own, so that only who measures them installs them. */
export async function installBaselines(
  processes: Processes,
  onProgress: (text: string) => void,
): Promise<void> {
  const installed = join(theirs, "node_modules", ".package-lock.json");
  const isInstalled = await access(installed).then(
    async () =>
      (await stat(installed)).mtimeMs >= (await stat(join(theirs, "package-lock.json"))).mtimeMs,
    () => false,
  );
  if (isInstalled) return;
  onProgress("installing the frameworks to compare with (once)");
  const npm = processes.start("npm ci", {
    command: "npm",
    args: ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    cwd: theirs,
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
  await readyFacts(service, readyTimeoutMs);
  const gateway = start("gateway", ...(baseline.gatewayArgs ?? []));
  const { port } = await readyFacts(gateway, readyTimeoutMs);
  return {
    url: `http://127.0.0.1:${port}${productPath}${product.id}`,
    parts: [
      { name: "gateway", pid: gateway.pid },
      { name: "service", pid: service.pid },
      nats.part,
    ],
  };
}
