import type { calls } from "@malipo/contracts";
import { type Clock, err, fault } from "@malipo/core";
import type { SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { platformConfig, readConfig } from "../src/config/index.ts";
import type { EventHandler } from "../src/consuming/index.ts";
import type { RouteHandler } from "../src/rpc/index.ts";
import { openService, type Service } from "../src/service/index.ts";
import type { noteRoutes } from "./contract.ts";

/** The handlers of the test contract; each test passes those that it needs. */
export interface TestHandlers {
  readonly createNote: RouteHandler<typeof noteRoutes.createNote>;
  readonly getNote: RouteHandler<typeof noteRoutes.getNote>;
  readonly describeBusiness: RouteHandler<typeof calls.describeBusiness>;
  readonly onBusiness: EventHandler<"business.*">;
  readonly onProductCreated: EventHandler<"product.created">;
}

export const testRouteHandlers = {
  createNote: ({ createNote }: TestHandlers) => createNote,
  getNote: ({ getNote }: TestHandlers) => getNote,
  describeBusiness: ({ describeBusiness }: TestHandlers) => describeBusiness,
};

export const testEventHandlers = {
  "business.*": ({ onBusiness }: TestHandlers) => onBusiness,
  "product.created": ({ onProductCreated }: TestHandlers) => onProductCreated,
};

const fail = async () => err(fault("internal_error", { logText: "no handler in this test" }));

export function testHandlers(own: Partial<TestHandlers>): TestHandlers {
  return {
    createNote: fail,
    getNote: fail,
    describeBusiness: fail,
    onBusiness: async () => [],
    onProductCreated: async () => [],
    ...own,
  };
}

/** A service on the given servers; it stops in order at the end of the test. */
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
  const service = await openService("gateway", config, { clock, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return service;
}

/** The sample lines of these metrics in a scrape. */
export async function samplesOf({ health }: Service, names: RegExp): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${health.port}/metrics`);
  return (await response.text()).split("\n").filter((line) => /^\w/.test(line) && names.test(line));
}
