import type { ServiceName } from "@malipo/contracts";
import { freePort } from "@malipo/local";
import type { SharedServers } from "./shared-servers.ts";
import { type ServiceForm, type ServiceProcess, startService } from "./service-process.ts";

const operatorToken = "a-token-for-the-operator-of-a-test";

/** Services on the given servers, one process each, with a gateway in front. */
export interface TestSystem {
  readonly apiUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly services: Readonly<Record<string, ServiceProcess>>;
  stop(): Promise<void>;
}

export async function startSystem(
  servers: SharedServers,
  names: readonly ServiceName[],
  ownEnv: Readonly<Record<string, string>> | ((name: ServiceName) => Record<string, string>) = {},
  form: ServiceForm = "sources",
): Promise<TestSystem> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const env = {
    NATS_URL: servers.natsUrl,
    MONGODB_URI: servers.mongodbUri,
    NAMESPACE: servers.namespace,
    LOG_LEVEL: "warn",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    // The receivers of webhooks run on this machine.
    ALLOW_LOOPBACK: "true",
    CALLBACK_URL: `http://127.0.0.1:${port}`,
    CALLBACK_KEY: "a-key-for-the-callbacks-of-a-test",
    // Nothing listens on this port. A test with payments sets the address of its simulator.
    MPESA_BASE_URL: "http://127.0.0.1:9",
  };
  const ownEnvOf = typeof ownEnv === "function" ? ownEnv : () => ownEnv;
  const gatewayEnv = {
    HOST: "127.0.0.1",
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    OPERATOR_TOKEN: operatorToken,
    // So that a test can send requests from many client addresses.
    TRUSTED_PROXIES: "127.0.0.1",
  };
  const started = await Promise.all(
    (["gateway", ...names] as const).map(async (name) => {
      const own = { ...env, ...ownEnvOf(name), ...(name === "gateway" && gatewayEnv) };
      return [name, await startService(name, own, form)] as const;
    }),
  );
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
    operatorToken,
    services: Object.fromEntries(started),
    stop: async () => {
      await Promise.all(started.map(async ([, service]) => service.stop()));
      for (const [name, service] of started) assertNoPermissionDenied(name, service.log());
    },
  };
}

/** Fails on a missing NATS permission, which otherwise may show only as an event that is not received. */
function assertNoPermissionDenied(name: string, log: string): void {
  const line = log.split("\n").find((each) => each.includes("PermissionViolationError"));
  if (line !== undefined)
    throw new Error(`${name} used a NATS subject that its contract does not list: ${line}`);
}
