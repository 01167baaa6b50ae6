import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { NatsAccess } from "./nats/nats-access.ts";
import { formatNatsConfig } from "./nats/nats-config.ts";
import type { Program } from "./supervisor/program.ts";
import { probeReadyz, probePort } from "./supervisor/readiness.ts";
import { workspaceRoot } from "./workspace.ts";

/** Node strips types when it loads a file, and prints a warning that this is experimental. */
const sourceFlags = [
  "--conditions=@malipo/source",
  "--disable-warning=ExperimentalWarning",
  // Memory for objects that live as long as a request. Node starts with a sixteenth of it and
  // collects garbage much more often, which costs a service more time than the 30 MB are worth.
  "--min-semi-space-size=16",
];

/** Runs a TypeScript file of this workspace without a build. */
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

/** nats-server shares the machine with its clients. On few cores, more threads only wake each other. */
export const natsRuntime = { GOMAXPROCS: String(Math.ceil(availableParallelism() / 4)) };

export function natsProgram(options: {
  server: string;
  port: number;
  storeDir: string;
  configFile: string;
  /** Without it, every client has all permissions. */
  access?: NatsAccess;
}): Program {
  const { access } = options;
  writeFileSync(options.configFile, formatNatsConfig(options) + (access?.config ?? ""));
  return {
    name: "nats-server",
    command: options.server,
    args: ["--config", options.configFile],
    env: { ...natsRuntime, ...access?.env },
    isReady: probePort(options.port),
  };
}

/** Clients of the store must authenticate with this user, if there is one. */
interface StoreUser {
  readonly user: string;
  readonly password: string;
}

export function storeProgram(options: { port: number; dir: string; user?: StoreUser }): Program {
  const { user } = options;
  const args = ["--port", String(options.port), "--dir", options.dir];
  return {
    ...sourceProgram("embedded-mongo", "packages/embedded-mongo/src/main.ts", args),
    // Every user of the machine can read the arguments of a process, but not its environment.
    env: user ? { EMBEDDED_MONGO_USER: user.user, EMBEDDED_MONGO_PASSWORD: user.password } : {},
    isReady: probePort(options.port),
  };
}

export function simulatorProgram(options: { port: number }): Program {
  return {
    ...sourceProgram("mpesa-simulator", "packages/mpesa-simulator/src/main.ts"),
    env: { PORT: String(options.port), HOST: "127.0.0.1" },
    isReady: probeReadyz(options.port),
  };
}

export function storeUri(port: number, user?: StoreUser): string {
  const credentials = user ? `${user.user}:${user.password}@` : "";
  return `mongodb://${credentials}127.0.0.1:${port}/?replicaSet=embedded`;
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
    isReady: probeReadyz(service.healthPort),
  };
}

/**
 * Several services as one process. `processEnv` is the environment of the process itself, for variables
 * that Node or a library reads.
 */
export function servicesProgram(
  services: readonly ServiceToRun[],
  processEnv: Readonly<Record<string, string>> = {},
): Program {
  const environments = Object.fromEntries(
    services.map((service) => [service.name, environmentOf(service)]),
  );
  const checks = services.map(({ healthPort }) => probeReadyz(healthPort));
  return {
    ...sourceProgram("services", "packages/local/src/services-main.ts"),
    env: { ...processEnv, SERVICES: JSON.stringify(environments) },
    isReady: async () => (await Promise.all(checks.map((isReady) => isReady()))).every(Boolean),
  };
}

function environmentOf({ env, healthPort }: ServiceToRun): Record<string, string> {
  return { ...env, HEALTH_PORT: String(healthPort), HEALTH_HOST: "127.0.0.1" };
}
