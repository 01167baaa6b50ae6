import { type Clock } from "@malipo/core";
import { createCipher, newId, openService, readConfig } from "@malipo/platform";
import { environmentOn, createStreams, type SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { webhookConfig } from "../src/config.ts";
import { openDeliveries } from "../src/store/deliveries.ts";
import type { Deps } from "../src/deps.ts";
import { type Endpoint, newEndpoint } from "../src/domain/endpoint.ts";
import { openEndpoints } from "../src/store/endpoints.ts";
import { openEventLog } from "../src/store/event-log.ts";
import { openQueues } from "../src/store/queues.ts";
import { startWebhook as start } from "../src/service.ts";
import { createSecrets } from "../src/store/secrets.ts";
import { openTurns } from "../src/store/turns.ts";

export interface WebhookOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** The whole service in the test's process. It stops when the test is over. */
export async function startWebhook(
  servers: SharedServers,
  { env = {}, clock = () => new Date() }: WebhookOptions = {},
): Promise<Deps> {
  await createStreams(servers);
  const config = readConfig(webhookConfig, {
    ...webhookEnvironment(servers),
    ...env,
  });
  const service = await openService("webhook", config, { clock, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return start(service, config);
}

/** The stores of the service alone, without a worker. */
export async function openStores(servers: SharedServers) {
  const config = readConfig(webhookConfig, webhookEnvironment(servers));
  const service = await openService("webhook", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const [endpoints, deliveries, queues, turns, log] = await Promise.all([
    openEndpoints(service),
    openDeliveries(service),
    openQueues(service),
    openTurns(service),
    openEventLog(service),
  ]);
  const secrets = createSecrets(createCipher(config.ENCRYPTION_KEY));
  return { service, endpoints, deliveries, queues, turns, log, secrets };
}

function webhookEnvironment(servers: SharedServers) {
  return {
    ...environmentOn(servers),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ALLOW_LOOPBACK: "true",
  };
}

/** Stores an endpoint as the API would. */
export async function addEndpoint(
  { endpoints, secrets }: Pick<Deps, "endpoints" | "secrets">,
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
