import type { ServiceName } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import type { z } from "zod";
import {
  ConfigError,
  type PlatformConfig,
  type platformConfig,
  readConfig,
} from "../config/config.ts";
import { openService, type Service } from "./service.ts";
import type { Shutdown } from "./shutdown.ts";

const patienceMs = 25_000;

type ServiceProcess = Pick<NodeJS.Process, "env" | "exit" | "once" | "stderr">;

/** A service's whole life: configuration, connections, what `build` adds, signals, an orderly end. */
export async function runService<Schema extends typeof platformConfig | z.ZodObject>(
  host: ServiceProcess,
  name: ServiceName,
  schema: Schema,
  clock: Clock,
  build: (service: Service, config: Readonly<z.output<Schema>>) => Promise<void>,
): Promise<void> {
  let stopping: AbortSignal | undefined;
  try {
    const config = readConfig(schema, host.env);
    const service = await openService(name, config as PlatformConfig, clock, (shutdown) => {
      stopping = shutdown.signal;
      stopOnSignals(host, shutdown);
    });
    await build(service, config);
    service.ready();
  } catch (error) {
    // It was told to stop before it had begun, and is about to end in order.
    if (stopping?.aborted) return;
    const said =
      error instanceof ConfigError ? error.message : String((error as Error).stack ?? error);
    host.stderr.write(`${name} cannot start. ${said}\n`);
    host.exit(1);
  }
}

/** Ends the process in order on SIGTERM and SIGINT, and at once when that takes too long. */
function stopOnSignals(host: ServiceProcess, shutdown: Shutdown): void {
  const stop = async (signal: string) => {
    setTimeout(() => host.exit(1), patienceMs).unref();
    await shutdown.begin(signal);
    host.exit(0);
  };
  host.once("SIGTERM", () => void stop("SIGTERM"));
  host.once("SIGINT", () => void stop("SIGINT"));
}
