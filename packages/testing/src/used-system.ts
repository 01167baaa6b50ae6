import { type ServiceName, serviceNames } from "@malipo/contracts";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import { type ApiAnswer, call, makeBusiness } from "./api-client.ts";
import { type SharedServers, useSharedServers } from "./shared-servers.ts";
import { startSystem, type TestSystem } from "./system.ts";

/** A running system and one business in it, for all tests of a file. */
export interface UsedSystem {
  readonly servers: SharedServers;
  /** What operators made first; without limits that a test reaches by accident. */
  readonly business: { readonly businessid: string; readonly secret: string };
  /** Numbers beyond the last gateway begin anew, so that a loop can go round them. */
  readonly gateway: (index?: number) => TestSystem;
  /** Asks as the business, of the first gateway. */
  readonly api: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer>;
  /** Asks as an operator, of the first gateway. */
  readonly operator: (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;
  /** A service's own database, to write what a crash would have left and to read what nobody shows. */
  readonly database: (service: string) => Db;
}

interface SystemOptions {
  readonly gateways?: number;
  /** Beyond what services get in every test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** All that stand behind the gateway. */
export const allServices: readonly ServiceName[] = serviceNames.filter(
  (name) => name !== "gateway",
);

/** Call it at the top of an e2e file, before its own hooks: it starts the named services behind gateways. */
export function useSystem(
  names: readonly ServiceName[],
  { gateways = 1, env }: SystemOptions = {},
): UsedSystem {
  const servers = useSharedServers();
  const store = new MongoClient(servers.mongodbUri);
  const systems: TestSystem[] = [];
  let business: UsedSystem["business"] | undefined;

  beforeAll(async () => {
    const started = Array.from({ length: gateways }, async (_, index) =>
      startSystem(servers, index === 0 ? names : [], env),
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
    if (!system) throw new Error("the system is not started yet");
    return system;
  }

  function theBusiness(): UsedSystem["business"] {
    if (!business) throw new Error("the system is not started yet");
    return business;
  }

  return {
    servers,
    get business() {
      return theBusiness();
    },
    gateway,
    api: async (method, path, body, headers) =>
      call(gateway().apiUrl + path, method, theBusiness().secret, body, headers),
    operator: async (method, path, body) => {
      const { operatorUrl, operatorToken } = gateway();
      return call(operatorUrl + path, method, `Bearer ${operatorToken}`, body);
    },
    database: (service) => store.db(`${servers.namespace}_${service}`),
  };
}
