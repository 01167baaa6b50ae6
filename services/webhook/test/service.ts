import { type Clock } from "@malipo/core";
import { newId, openService, readConfig } from "@malipo/platform";
import { environmentOn, makeStreams, type SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { webhookConfig } from "../src/config.ts";
import type { Deps } from "../src/deps.ts";
import { type Endpoint, newEndpoint } from "../src/endpoint.ts";
import { runWebhook } from "../src/run-webhook.ts";

export interface WebhookOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** The whole service within the test's process, stopped in order when the test is over. */
export async function startWebhook(
  servers: SharedServers,
  { env = {}, clock = () => new Date() }: WebhookOptions = {},
): Promise<Deps> {
  await makeStreams(servers);
  const config = readConfig(webhookConfig, {
    ...environmentOn(servers),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ALLOW_LOOPBACK: "true",
    ...env,
  });
  const service = await openService("webhook", config, clock);
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return runWebhook(service, config);
}

/** As its business would have made it. */
export async function addEndpoint(
  { endpoints, secrets }: Deps,
  businessid: string,
  url: string,
  own: Partial<Endpoint> = {},
): Promise<Endpoint> {
  const now = new Date();
  const taken = await endpoints.slotsTaken(businessid);
  const ids = { id: newId(), businessid, slot: Math.max(0, ...taken) + 1 };
  const endpoint = { ...newEndpoint(ids, { url }, secrets.mint(ids.id), now), ...own };
  return endpoints.insert(endpoint, [], { now });
}
