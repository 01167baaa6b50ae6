import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ServiceName, serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import {
  allServices,
  makeBusiness,
  type ServiceProcess,
  startNatsServer,
  startSimulator,
  startSystem,
  temporaryFolder,
  type TestServer,
  type TestSystem,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, beforeAll } from "vitest";
import { startBalancer } from "./balancer.ts";
import { type Business, setUpBusiness } from "./business.ts";
import { startReceiver } from "./receiver.ts";

const run = promisify(execFile);

/**
 * Starts two replicas of each service from the output of `npm run build`, behind a balancer. NATS is a
 * server of this file alone, so that a test can delete its streams.
 */
export async function useProduction() {
  const servers = useSharedServers();
  const simulator = await startSimulator();
  const balancer = await startBalancer();
  const receiver = await startReceiver();
  const streamsFolder = join(temporaryFolder(), "streams");
  /** Each system has one replica of every service. */
  const systems: TestSystem[] = [];
  const started: { nats?: TestServer; business?: Business } = {};

  const environmentOf = (service: ServiceName) => ({
    NODE_ENV: "production",
    MPESA_BASE_URL: simulator.url,
    PUBLIC_URL: balancer.url,
    CALLBACK_URL: balancer.url,
    // The balancer probes the gateways, so it needs time to see that one stops. NATS knows at once that
    // a service has unsubscribed.
    SHUTDOWN_DELAY_MS: service === "gateway" ? "1000" : "0",
  });

  beforeAll(async () => {
    const building = run("npm", ["run", "build"], { cwd: workspaceRoot });
    const [nats] = await Promise.all([startNatsServer(streamsFolder), building]);
    started.nats = nats;
    const serversOfFile = { ...servers, natsUrl: nats.url };
    const starting = [0, 1].map(async () =>
      startSystem(serversOfFile, allServices, { envOf: environmentOf, form: "build" }),
    );
    systems.push(...(await Promise.all(starting)));
    await balancer.use(systems.map(({ apiUrl }) => apiUrl));
    const { secret } = await makeBusiness(firstSystem());
    started.business = await setUpBusiness(balancer.url, secret, receiver);
  }, 240_000);

  afterAll(async () => {
    await balancer.close();
    await Promise.all(systems.map(async (system) => system.stop()));
    await Promise.all([started.nats?.stop(), receiver.close()]);
  });

  function firstSystem(): TestSystem {
    const [system] = systems;
    if (!system) throw new Error("the system is not started yet");
    return system;
  }

  return {
    simulator,
    streamsFolder,
    get nats() {
      if (!started.nats) throw new Error("the system is not started yet");
      return started.nats;
    },
    get business() {
      if (!started.business) throw new Error("the system is not started yet");
      return started.business;
    },
    servers: () => ({ ...servers, natsUrl: started.nats?.url ?? "" }),
    replicasOf: (service: ServiceName): ServiceProcess[] =>
      systems.flatMap(({ services }) => services[service] ?? []),
    /** Runs the built command line, as the operators' image does; resolves with its JSON output. */
    malipo: async (...args: string[]): Promise<string> => {
      const { operatorUrl, operatorToken } = firstSystem();
      const cli = join(workspaceRoot, "packages/cli/dist/main.js");
      const env = { MALIPO_OPERATOR_URL: operatorUrl, MALIPO_OPERATOR_TOKEN: operatorToken };
      return (await run(process.execPath, [cli, ...args, "--json"], { env })).stdout;
    },
  };
}

type Production = Awaited<ReturnType<typeof useProduction>>;

/**
 * Restarts replicas of every service, one after the other: each is ready before the next one stops.
 * Returns how each ended, for example "exit code 0".
 */
export async function restartReplicas(
  production: Production,
  replicasPerService: number,
): Promise<string[]> {
  const exits: string[] = [];
  for (const service of serviceNames) {
    for (const replica of production.replicasOf(service).slice(0, replicasPerService)) {
      exits.push(await replica.stop());
      await replica.start();
    }
  }
  return exits;
}
