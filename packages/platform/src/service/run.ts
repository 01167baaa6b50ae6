import type { z } from "zod";
import { ConfigError } from "../config/index.ts";
import { type ServiceDefinition, startService } from "./definition.ts";
import type { Sources } from "./service.ts";
import type { Shutdown } from "./shutdown.ts";

/** A service that has not stopped in order by then is ended with its process. */
const stopTimeoutMs = 25_000;

type ServiceProcess = Pick<NodeJS.Process, "env" | "exit" | "once" | "stderr">;
type Environment = Readonly<Record<string, string | undefined>>;

/** Runs one service as this process: its start, its signals, and its end in order. */
export async function runService<Schema extends z.ZodObject>(
  host: ServiceProcess,
  definition: ServiceDefinition<Schema>,
  sources: Sources,
): Promise<void> {
  await startAll(host, sources, [{ definition, environment: host.env }]);
}

/**
 * Runs several services in this process, each with its own environment. The first one stops before
 * the others: requests enter the system through it.
 */
export async function runServices(
  host: ServiceProcess,
  definitions: readonly ServiceDefinition[],
  environmentOf: (service: string) => Environment,
  sources: Sources,
): Promise<void> {
  const services = definitions.map((definition) => ({
    definition,
    environment: environmentOf(definition.name),
  }));
  await startAll(host, sources, services);
}

interface ServiceToStart<Schema extends z.ZodObject> {
  readonly definition: ServiceDefinition<Schema>;
  readonly environment: Environment;
}

/** Any service that cannot start ends the process: its supervisor starts all of them again. */
async function startAll<Schema extends z.ZodObject>(
  host: ServiceProcess,
  sources: Sources,
  services: readonly ServiceToStart<Schema>[],
): Promise<void> {
  const shutdowns: (Shutdown | undefined)[] = services.map(() => undefined);
  const stopping = stopOnSignals(host, shutdowns);
  await Promise.all(
    services.map(async ({ definition, environment }, index) => {
      try {
        await startService(definition, environment, sources, (shutdown) => {
          shutdowns[index] = shutdown;
        });
      } catch (error) {
        // A signal during the start closes connections under it; the process ends in order.
        if (stopping.aborted) return;
        const reason =
          error instanceof ConfigError ? error.message : String((error as Error).stack ?? error);
        host.stderr.write(`${definition.name} cannot start. ${reason}\n`);
        host.exit(1);
      }
    }),
  );
}

/** Ends the process in order on SIGTERM and SIGINT, and at once when that takes too long. */
function stopOnSignals(
  host: ServiceProcess,
  shutdowns: readonly (Shutdown | undefined)[],
): AbortSignal {
  const stopping = new AbortController();
  const stop = async (signal: string) => {
    stopping.abort();
    const [first, ...others] = shutdowns;
    const groups = others.length === 0 ? 1 : 2;
    setTimeout(() => host.exit(1), groups * stopTimeoutMs).unref();
    await first?.begin(signal);
    await Promise.all(others.map(async (shutdown) => shutdown?.begin(signal)));
    host.exit(0);
  };
  host.once("SIGTERM", () => void stop("SIGTERM"));
  host.once("SIGINT", () => void stop("SIGINT"));
  return stopping.signal;
}
