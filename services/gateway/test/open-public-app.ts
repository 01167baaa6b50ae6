import { randomBytes } from "node:crypto";
import { createCipher, openService, readConfig } from "@malipo/platform";
import { environmentOn, type SettableClock, type SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { gatewayConfig } from "../src/config.ts";
import { cachePrincipals } from "../src/credentials/principals.ts";
import type { Principal } from "../src/domain/principal.ts";
import { buildPublicApp } from "../src/http/public-app.ts";
import { createCredentialLimiter } from "../src/limiters/credential-limiter.ts";
import { createGatewayMetrics } from "../src/metrics.ts";
import { openIdempotencyKeys } from "../src/store/idempotency-keys.ts";
import { openWindowStore } from "../src/store/rate-limit-windows.ts";

const secrets = {
  OPERATOR_TOKEN: randomBytes(32).toString("hex"),
  ENCRYPTION_KEY: `1:${randomBytes(32).toString("base64")}`,
  CALLBACK_KEY: randomBytes(32).toString("base64"),
};

export interface PublicAppOptions {
  /** More variables of the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: SettableClock["now"];
  /** Who sends every request with a well-formed secret; null for nobody. */
  readonly principal?: Principal | null;
}

/** The public API in the test's process, without a port. Apps of one file read each other's keys. */
export async function openPublicApp(
  servers: SharedServers,
  { env = {}, clock = () => new Date(), principal = null }: PublicAppOptions,
) {
  const config = readConfig(gatewayConfig, { ...environmentOn(servers), ...secrets, ...env });
  const service = await openService("gateway", config, { clock, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const windowStore = await openWindowStore(service);
  return buildPublicApp(service, config, {
    principals: cachePrincipals({ find: async () => principal }, clock),
    lastUses: { record: () => undefined },
    limiter: createCredentialLimiter({ windowStore, clock, onStoreAway: () => undefined }),
    idempotencyKeys: await openIdempotencyKeys(service, createCipher(config.ENCRYPTION_KEY)),
    metrics: createGatewayMetrics(service),
  });
}
