import type { calls } from "@malipo/contracts";
import { type Clock, err, fault } from "@malipo/core";
import type { SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import type { RouteHandler } from "../src/rpc/answer-request.ts";
import { platformConfig, readConfig } from "../src/config/config.ts";
import type { EventHandler } from "../src/consuming/consumer.ts";
import { openService, type Service } from "../src/service/service.ts";
import type { noteRoutes } from "./contract.ts";

/** Handlers of the tests' own contract, which each test writes for itself. */
export interface TestHandlers {
  readonly "create-note": RouteHandler<typeof noteRoutes.createNote>;
  readonly "get-note": RouteHandler<typeof noteRoutes.getNote>;
  readonly "describe-business": RouteHandler<typeof calls.describeBusiness>;
  readonly "on-business": EventHandler<"business.*">;
  readonly "on-product-created": EventHandler<"product.created">;
}

export const handlersFolder = new URL("./handlers/", import.meta.url);

const refuse = async () => err(fault("internal_error", { detail: "no handler in this test" }));

export function testHandlers(own: Partial<TestHandlers>): TestHandlers {
  return {
    "create-note": refuse,
    "get-note": refuse,
    "describe-business": refuse,
    "on-business": async () => [],
    "on-product-created": async () => [],
    ...own,
  };
}

/** A service on the given servers, stopped in order when the test is over. */
export async function openTestService(
  servers: SharedServers,
  clock: Clock = () => new Date(),
): Promise<Service> {
  const config = readConfig(platformConfig, {
    NATS_URL: servers.natsUrl,
    MONGODB_URI: servers.mongodbUri,
    NAMESPACE: servers.namespace,
    LOG_LEVEL: "silent",
    HEALTH_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
  });
  const service = await openService("gateway", config, clock);
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return service;
}

/** What a scrape says of these metrics, as it stands there. */
export async function samplesOf({ health }: Service, names: RegExp): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${health.port}/metrics`);
  return (await response.text()).split("\n").filter((line) => /^\w/.test(line) && names.test(line));
}
