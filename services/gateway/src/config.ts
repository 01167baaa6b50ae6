import {
  callbackKeys,
  encryptionKeyVariable,
  platformConfig,
  portVariable,
} from "@malipo/platform";
import { z } from "zod";
import { isNetwork } from "./admission/trusted-proxies.ts";

export const gatewayConfig = platformConfig.extend({
  HOST: z.string().default("0.0.0.0").describe("the address the public API listens on"),
  PORT: portVariable("the port of the public API", 8080),
  OPERATOR_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("the address the operator API listens on; it must not be public"),
  OPERATOR_PORT: portVariable("the port of the operator API", 8081),
  OPERATOR_HOSTS: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter(Boolean))
    .describe(
      "host names, separated by commas, under which operators reach their API; localhost, 127.0.0.1 and [::1] always may",
    ),
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .max(512)
    .describe("the bearer token of the operator API, 32 characters or more"),
  ENCRYPTION_KEY: encryptionKeyVariable("stored answers"),
  CALLBACK_KEY: callbackKeys,
  MODE: z
    .enum(["sandbox", "live"])
    .default("sandbox")
    .describe("sandbox or live: which secrets are accepted, sk_test_… or sk_live_…"),
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((list) => list.split(/[ ,]+/).filter(Boolean))
    .refine((networks) => networks.every(isNetwork))
    .describe("addresses or networks, separated by commas, whose X-Forwarded-For is trusted"),
  REQUESTS_MAX: numberVariable(
    "API requests in progress at one gateway; one client may hold as many of them as are free",
    1_000,
  ),
  CONNECTIONS_PER_ADDRESS_MAX: numberVariable(
    "connections that one address may open; trusted proxies have no limit",
    1_000,
  ),
  PUBLIC_URL: z
    .url()
    .default("http://localhost:8080")
    .describe("the address under which clients reach the public API"),
});

function numberVariable(description: string, fallback: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(fallback)
    .describe(`${description} (default ${fallback})`);
}

export type GatewayConfig = z.output<typeof gatewayConfig>;
export type Mode = GatewayConfig["MODE"];
