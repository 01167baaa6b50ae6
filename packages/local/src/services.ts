import type { ServiceName } from "@malipo/contracts";

/** The addresses and secrets of one local system. */
export interface LocalAddresses {
  readonly natsUrl: string;
  readonly mongodbUri: string;
  /** Used in place of M-Pesa. */
  readonly simulatorUrl: string;
  readonly apiPort: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
  readonly encryptionKey: string;
  readonly callbackKey: string;
}

interface Service {
  readonly name: ServiceName;
  /** Relative to the workspace. */
  readonly entry: string;
  /** Variables in addition to those that every service gets. */
  readonly env?: (addresses: LocalAddresses) => Record<string, string>;
}

/** Every service that runs, in addition to NATS, the store and the simulator. */
export const services: readonly Service[] = [
  {
    name: "gateway",
    entry: "services/gateway/src/main.ts",
    env: ({ apiPort, operatorPort, operatorToken, encryptionKey, callbackKey }) => ({
      PORT: String(apiPort),
      HOST: "127.0.0.1",
      OPERATOR_PORT: String(operatorPort),
      OPERATOR_HOST: "127.0.0.1",
      OPERATOR_TOKEN: operatorToken,
      ENCRYPTION_KEY: encryptionKey,
      CALLBACK_KEY: callbackKey,
      MODE: "sandbox",
      PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
    }),
  },
  {
    name: "invoice",
    entry: "services/invoice/src/main.ts",
    env: ({ apiPort }) => ({ PUBLIC_URL: `http://127.0.0.1:${apiPort}` }),
  },
  {
    name: "payment",
    entry: "services/payment/src/main.ts",
    env: ({ apiPort, encryptionKey, callbackKey, simulatorUrl }) => ({
      ENCRYPTION_KEY: encryptionKey,
      CALLBACK_KEY: callbackKey,
      MODE: "sandbox",
      MPESA_BASE_URL: simulatorUrl,
      PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
      CALLBACK_URL: `http://127.0.0.1:${apiPort}`,
    }),
  },
  {
    name: "webhook",
    entry: "services/webhook/src/main.ts",
    // Webhook receivers of a developer run on the same machine.
    env: ({ encryptionKey }) => ({
      ENCRYPTION_KEY: encryptionKey,
      MODE: "sandbox",
      ALLOW_LOOPBACK: "true",
    }),
  },
  {
    name: "subscription",
    entry: "services/subscription/src/main.ts",
    env: ({ apiPort }) => ({
      PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
      PROMPT_HOURS: "0-24",
    }),
  },
  { name: "scheduler", entry: "services/scheduler/src/main.ts" },
];
