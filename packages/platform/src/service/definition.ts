import type { ServiceName } from "@malipo/contracts";
import type { z } from "zod";
import { type PlatformConfig, type platformConfig, readConfig } from "../config/index.ts";
import { openService, type Service, type Sources } from "./service.ts";
import type { Shutdown } from "./shutdown.ts";

/** One service: its name, the variables it reads, and how its parts are put together. */
export interface ServiceDefinition<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: ServiceName;
  /** `platformConfig`, extended by the service's own variables. */
  readonly config: Schema;
  /** Opens stores, then serves, consumes and starts jobs; resolves when all of that runs. */
  start(service: Service, config: Readonly<z.output<Schema>>): Promise<void>;
}

/** Infers the type of the configuration that `start` receives. */
export function defineService<Schema extends typeof platformConfig | z.ZodObject>(
  definition: ServiceDefinition<Schema>,
): ServiceDefinition<Schema> {
  return definition;
}

/** Opens the connections, starts the service on them, and says that it is ready. */
export async function startService<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  environment: Readonly<Record<string, string | undefined>>,
  sources: Sources,
  onShutdown?: (shutdown: Shutdown) => void,
): Promise<void> {
  const config = readConfig(definition.config, environment);
  // Every schema extends `platformConfig`, which a generic type cannot say of Zod's output.
  const platform = config as unknown as PlatformConfig;
  const service = await openService(definition.name, platform, sources, onShutdown);
  await definition.start(service, config);
  service.markReady();
}
