import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NatsAccess } from "./nats-access.ts";
import { natsConfig } from "./nats-config.ts";
import type { Program } from "./program.ts";
import { answersReady, listens } from "./readiness.ts";

export const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** Types are stripped as files are loaded; Node calls some of that an experiment, to the terminal. */
const sourceFlags = [
  "--conditions=@malipo/source",
  "--disable-warning=ExperimentalWarning",
  // Room for what lives as long as a request: Node begins with a sixteenth of it and clears it as
  // much oftener, which costs a service more time than the 30 MB are worth.
  "--min-semi-space-size=16",
];

/** Runs a TypeScript file of this workspace as it is. */
export function sourceProgram(
  name: string,
  entry: string,
  args: readonly string[] = [],
): Pick<Program, "name" | "command" | "args"> {
  return {
    name,
    command: process.execPath,
    args: [...sourceFlags, join(workspaceRoot, entry), ...args],
  };
}

/** It shares the machine with all that talk to it: on few cores more threads only wake each other. */
export const natsRuntime = { GOMAXPROCS: String(Math.ceil(availableParallelism() / 4)) };

export function natsProgram(options: {
  server: string;
  port: number;
  storeDir: string;
  configFile: string;
  /** Without it anybody may do everything. */
  access?: NatsAccess;
}): Program {
  const { access } = options;
  writeFileSync(options.configFile, natsConfig(options) + (access?.config ?? ""));
  return {
    name: "nats-server",
    command: options.server,
    args: ["--config", options.configFile],
    env: { ...natsRuntime, ...access?.env },
    isReady: listens(options.port),
  };
}

export function storeProgram(options: { port: number; dir: string }): Program {
  const args = ["--port", String(options.port), "--dir", options.dir];
  return {
    ...sourceProgram("embedded-mongo", "packages/embedded-mongo/src/main.ts", args),
    env: {},
    isReady: listens(options.port),
  };
}

export function simulatorProgram(options: { port: number }): Program {
  return {
    ...sourceProgram("mpesa-simulator", "packages/mpesa-simulator/src/main.ts"),
    env: { PORT: String(options.port), HOST: "127.0.0.1" },
    isReady: answersReady(options.port),
  };
}

export function storeUri(port: number): string {
  return `mongodb://127.0.0.1:${port}/?replicaSet=embedded`;
}

interface ServiceToRun {
  readonly name: string;
  readonly entry: string;
  readonly healthPort: number;
  /** Without the health port, which is added here. */
  readonly env: Readonly<Record<string, string>>;
}

/** One service as its own process. */
export function serviceProgram(service: ServiceToRun): Program {
  return {
    ...sourceProgram(service.name, service.entry),
    env: environmentOf(service),
    isReady: answersReady(service.healthPort),
  };
}

/** All services as one process. */
export function servicesProgram(services: readonly ServiceToRun[]): Program {
  const environments = Object.fromEntries(
    services.map((service) => [service.name, environmentOf(service)]),
  );
  const checks = services.map(({ healthPort }) => answersReady(healthPort));
  return {
    ...sourceProgram("services", "packages/local/src/services-main.ts"),
    env: { SERVICES: JSON.stringify(environments) },
    isReady: async () => (await Promise.all(checks.map((isReady) => isReady()))).every(Boolean),
  };
}

function environmentOf({ env, healthPort }: ServiceToRun): Record<string, string> {
  return { ...env, HEALTH_PORT: String(healthPort), HEALTH_HOST: "127.0.0.1" };
}
