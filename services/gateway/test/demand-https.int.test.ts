import { randomBytes } from "node:crypto";
import { createCipher, openService, readConfig } from "@malipo/platform";
import { environmentOn, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayConfig } from "../src/config.ts";
import { cachePrincipals } from "../src/credentials/principals.ts";
import { buildPublicApp } from "../src/http/public-app.ts";
import { createCredentialLimiter } from "../src/limiters/credential-limiter.ts";
import { createGatewayMetrics } from "../src/metrics.ts";
import { openIdempotencyKeys } from "../src/store/idempotency-keys.ts";
import { openWindowStore } from "../src/store/rate-limit-windows.ts";

const servers = useSharedServers();
const proxy = "10.0.0.1";
const stranger = "41.90.1.2";

/** The public app of one mode, behind one trusted proxy. */
async function publicApp(mode: string) {
  const config = readConfig(gatewayConfig, {
    ...environmentOn(inOwnNamespace(servers)),
    MODE: mode,
    TRUSTED_PROXIES: proxy,
    OPERATOR_TOKEN: "o".repeat(32),
    ENCRYPTION_KEY: `1:${randomBytes(32).toString("base64")}`,
    CALLBACK_KEY: randomBytes(32).toString("base64"),
  });
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const windowStore = await openWindowStore(service);
  return buildPublicApp(service, config, {
    principals: cachePrincipals({ find: async () => null }, service.clock),
    lastUses: { record: () => undefined },
    limiter: createCredentialLimiter({
      windowStore,
      clock: service.clock,
      onStoreAway: () => undefined,
    }),
    idempotencyKeys: await openIdempotencyKeys(service, createCipher(config.ENCRYPTION_KEY)),
    metrics: createGatewayMetrics(service),
  });
}

const oneYear = "max-age=31536000";
const forwarded = { "x-forwarded-for": stranger };
const https = { ...forwarded, "x-forwarded-proto": "https" };
const http = { ...forwarded, "x-forwarded-proto": "http" };

it.each([
  ["live", "by a trusted proxy over https", proxy, https, oneYear],
  ["live", "by a trusted proxy that does not say how", proxy, forwarded, oneYear],
  ["live", "by a trusted proxy over http", proxy, http, undefined],
  ["live", "directly, by a client that pretends to be a proxy", stranger, https, undefined],
  ["live", "directly by a probe of the proxy's host", proxy, {}, undefined],
  ["sandbox", "by a trusted proxy over https", proxy, https, undefined],
])(
  "in %s mode an answer to a request sent %s has its HSTS",
  async (mode, _how, remoteAddress, headers, expected) => {
    const app = await publicApp(mode);
    for (const url of ["/docs", "/business/product/list", "/nowhere", "/callbacks/stk/forged"]) {
      const answer = await app.inject({ url, headers, remoteAddress });
      expect([url, answer.headers["strict-transport-security"]]).toEqual([url, expected]);
    }
  },
);
