import type { ServiceName } from "@malipo/contracts";
import { freePort } from "@malipo/local";
import type { SharedServers } from "./shared-servers.ts";
import {
  type ServiceForm,
  type ServiceProcess,
  startService,
  startServices,
} from "./service-process.ts";

const operatorToken = "a-token-for-the-operator-of-a-test";

/** Services on the given servers, with a gateway in front. */
export interface TestSystem {
  readonly apiUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** For a service that shares its process, `stop()`, `kill()`, `pause()` and `resume()` throw. */
  readonly services: Readonly<Record<string, ServiceProcess>>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  /** Added to the environment that services get in every test, and to that of their process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the environment of one service. */
  readonly envOf?: (name: ServiceName) => Readonly<Record<string, string>>;
  /** Services that get a process of their own. The others share one process. */
  readonly ownProcess?: readonly ServiceName[];
  /** With "build", each service gets a process of its own, as in production. */
  readonly form?: ServiceForm;
}

export async function startSystem(
  servers: SharedServers,
  names: readonly ServiceName[],
  { env = {}, envOf = () => ({}), ownProcess = [], form = "sources" }: SystemOptions = {},
): Promise<TestSystem> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const gatewayEnv = {
    HOST: "127.0.0.1",
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    OPERATOR_TOKEN: operatorToken,
    // So that a test can send requests from many client addresses.
    TRUSTED_PROXIES: "127.0.0.1",
  };
  const environmentOf = (name: ServiceName) => ({
    ...commonEnvironment(servers, `http://127.0.0.1:${port}`),
    ...env,
    ...envOf(name),
    ...(name === "gateway" && gatewayEnv),
  });
  const all: readonly ServiceName[] = ["gateway", ...names];
  const sharing = form === "build" ? [] : all.filter((name) => !ownProcess.includes(name));
  const isShared = sharing.length > 1;
  const separate = isShared ? all.filter((name) => !sharing.includes(name)) : all;
  const [own, shared] = await Promise.all([
    Promise.all(
      separate.map(
        async (name) => [name, await startService(name, environmentOf(name), form)] as const,
      ),
    ),
    isShared
      ? startServices(new Map(sharing.map((name) => [name, environmentOf(name)])), env)
      : undefined,
  ]);
  const services = [...own, ...(shared?.services ?? [])];
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
    operatorToken,
    services: Object.fromEntries(services),
    stop: async () => {
      await Promise.all([...own.map(async ([, service]) => service.stop()), shared?.stop()]);
      for (const [, service] of services) assertNoPermissionDenied(service.log());
    },
  };
}

/** The environment that every service gets in every test. */
function commonEnvironment(servers: SharedServers, url: string): Record<string, string> {
  return {
    NATS_URL: servers.natsUrl,
    MONGODB_URI: servers.mongodbUri,
    NAMESPACE: servers.namespace,
    LOG_LEVEL: "warn",
    PUBLIC_URL: url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    // The receivers of webhooks run on this machine.
    ALLOW_LOOPBACK: "true",
    CALLBACK_URL: url,
    CALLBACK_KEY: "a-key-for-the-callbacks-of-a-test",
    // Nothing listens on this port. A test with payments sets the address of its simulator.
    MPESA_BASE_URL: "http://127.0.0.1:9",
  };
}

/** Fails on a missing NATS permission, which otherwise may show only as an event that is not received. */
function assertNoPermissionDenied(log: string): void {
  const line = log.split("\n").find((each) => each.includes("PermissionViolationError"));
  if (line !== undefined)
    throw new Error(`A service used a NATS subject that its contract does not list: ${line}`);
}
