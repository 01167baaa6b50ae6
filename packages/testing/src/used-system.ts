import { type ServiceName, serviceNames } from "@malipo/contracts";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import { type ApiAnswer, call, makeBusiness } from "./api-client.ts";
import { type SharedServers, useSharedServers } from "./shared-servers.ts";
import { startSystem, type SystemOptions, type TestSystem } from "./system.ts";

/** A running system with one business, for all tests of a file. */
export interface UsedSystem {
  readonly servers: SharedServers;
  /** Created at the start; its limits are so high that no test reaches them by accident. */
  readonly business: { readonly businessid: string; readonly secret: string };
  /** The gateway with this number; a higher number wraps around, so that a loop can use all in turn. */
  readonly gateway: (index?: number) => TestSystem;
  /** Sends a request as the business, to the first gateway. */
  readonly api: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer>;
  /** Sends a request as an operator, to the first gateway. */
  readonly operator: (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;
  /** A service's own database, to write the state after a crash and to read data that no API shows. */
  readonly database: (service: string) => Db;
}

interface UsedSystemOptions extends Pick<SystemOptions, "env" | "envOf" | "ownProcess"> {
  /** Each further gateway has a process of its own. */
  readonly gateways?: number;
}

/** All services behind the gateway. */
export const allServices: readonly ServiceName[] = serviceNames.filter(
  (name) => name !== "gateway",
);

/**
 * Starts the named services behind gateways. The services and the first gateway share one process, except
 * those in `ownProcess`. Call it at the top of an e2e file, before its own hooks.
 */
export function useSystem(
  names: readonly ServiceName[],
  { gateways = 1, ...options }: UsedSystemOptions = {},
): UsedSystem {
  const servers = useSharedServers();
  const store = new MongoClient(servers.mongodbUri);
  const systems: TestSystem[] = [];
  let business: UsedSystem["business"] | undefined;

  beforeAll(async () => {
    const started = Array.from({ length: gateways }, async (_, index) =>
      startSystem(servers, index === 0 ? names : [], options),
    );
    systems.push(...(await Promise.all(started)));
    business = await makeBusiness(gateway());
  });
  afterAll(async () => {
    await Promise.all(systems.map(async (system) => system.stop()));
    await store.close();
  });

  function gateway(index = 0): TestSystem {
    const system = systems[index % systems.length];
    if (!system) throw new Error("the system has not been started");
    return system;
  }

  function startedBusiness(): UsedSystem["business"] {
    if (!business) throw new Error("the system has not been started");
    return business;
  }

  return {
    servers,
    get business() {
      return startedBusiness();
    },
    gateway,
    api: async (method, path, body, headers) =>
      call(gateway().apiUrl + path, method, startedBusiness().secret, body, headers),
    operator: async (method, path, body) => {
      const { operatorUrl, operatorToken } = gateway();
      return call(operatorUrl + path, method, `Bearer ${operatorToken}`, body);
    },
    database: (service) => store.db(`${servers.namespace}_${service}`),
  };
}
