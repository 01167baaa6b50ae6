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
import { type Business, openBusiness } from "./business.ts";
import { startReceiver } from "./receiver.ts";

const run = promisify(execFile);

/** Two of each service as `npm run build` makes them, behind a balancer, on a NATS that may lose its disk. */
export async function useProduction() {
  const servers = useSharedServers();
  const simulator = await startSimulator();
  const balancer = await startBalancer();
  const receiver = await startReceiver();
  const streams = join(temporaryFolder(), "streams");
  const replicas: TestSystem[] = [];
  const made: { nats?: TestServer; business?: Business } = {};

  const envOf = (service: ServiceName) => ({
    NODE_ENV: "production",
    MPESA_BASE_URL: simulator.url,
    PUBLIC_URL: balancer.url,
    CALLBACK_URL: balancer.url,
    // The balancer learns late; NATS knows at once who listens no more.
    SHUTDOWN_DELAY_MS: service === "gateway" ? "1000" : "0",
  });

  beforeAll(async () => {
    const built = run("npm", ["run", "build"], { cwd: workspaceRoot });
    const [nats] = await Promise.all([startNatsServer(streams), built]);
    made.nats = nats;
    const on = { ...servers, natsUrl: nats.url };
    const starting = [0, 1].map(async () => startSystem(on, allServices, { envOf, form: "build" }));
    replicas.push(...(await Promise.all(starting)));
    await balancer.use(replicas.map(({ apiUrl }) => apiUrl));
    const { secret } = await makeBusiness(first());
    made.business = await openBusiness(balancer.url, secret, receiver);
  }, 240_000);

  afterAll(async () => {
    await balancer.close();
    await Promise.all(replicas.map(async (system) => system.stop()));
    await Promise.all([made.nats?.stop(), receiver.close()]);
  });

  function first(): TestSystem {
    const [system] = replicas;
    if (!system) throw new Error("nothing runs");
    return system;
  }

  return {
    simulator,
    streams,
    get nats() {
      if (!made.nats) throw new Error("nothing runs");
      return made.nats;
    },
    get business() {
      if (!made.business) throw new Error("nothing runs");
      return made.business;
    },
    servers: () => ({ ...servers, natsUrl: made.nats?.url ?? "" }),
    replicasOf: (service: ServiceName): ServiceProcess[] =>
      replicas.flatMap(({ services }) => services[service] ?? []),
    /** The command line as an operator's image has it. */
    malipo: async (...args: string[]): Promise<string> => {
      const { operatorUrl, operatorToken } = first();
      const cli = join(workspaceRoot, "packages/cli/dist/main.js");
      const env = { MALIPO_OPERATOR_URL: operatorUrl, MALIPO_OPERATOR_TOKEN: operatorToken };
      return (await run(process.execPath, [cli, ...args, "--json"], { env })).stdout;
    },
  };
}

type Production = Awaited<ReturnType<typeof useProduction>>;

/** In turn, each ready before the next is stopped; says how each ended. */
export async function restart(production: Production, replicasEach: number): Promise<string[]> {
  const ends: string[] = [];
  for (const service of serviceNames) {
    for (const replica of production.replicasOf(service).slice(0, replicasEach)) {
      ends.push(await replica.stop());
      await replica.start();
    }
  }
  return ends;
}
