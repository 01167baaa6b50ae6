import { type BodyOf, type Operations, type ParamsOf, routes } from "@malipo/contracts";
import { addMs, secondMs } from "@malipo/core";
import {
  openService,
  platformConfig,
  readConfig,
  type RequestContext,
  type RouteHandler,
  sendRequest,
  serveRoutes,
} from "@malipo/platform";
import { environmentOn, type SharedServers } from "@malipo/testing";
import { cachePrincipals, readPrincipals } from "../src/credentials/principals.ts";
import { evictOnSignal } from "../src/credentials/evict-principals.ts";
import { hashSecret } from "../src/credentials/secret.ts";
import type { Deps } from "../src/deps.ts";
import { handlers } from "../src/handlers/index.ts";
import { openBusinesses } from "../src/store/businesses.ts";
import { openCredentials } from "../src/store/credentials.ts";
import { openOnboarding } from "../src/store/onboarding.ts";

type Name = keyof typeof handlers & keyof typeof routes;

export type Core = Awaited<ReturnType<typeof openCore>>;

/** The stores, cache and handlers of a gateway, in the test's process and without HTTP. */
export async function openCore(servers: SharedServers) {
  const config = readConfig(platformConfig, environmentOn(servers));
  const sources = { clock: () => new Date(), random: Math.random };
  const service = await openService("gateway", config, sources);
  const businesses = await openBusinesses(service);
  const credentials = await openCredentials(service);
  const principals = cachePrincipals(readPrincipals(credentials, businesses), service.clock);
  const deps: Deps = {
    service,
    businesses,
    credentials,
    principalEviction: evictOnSignal(principals, service),
    onboarding: openOnboarding(service),
    mode: "sandbox",
    collections: [businesses.collection],
  };

  return {
    deps,
    /** Serves the routes. One core of a namespace does, so that a test knows which one answers. */
    serve: async () => serveRoutes(service, handlers, deps),
    /** What a gateway knows of a secret, from its cache if it can. */
    principalOf: async (secret: string) => principals.find(hashSecret(secret)),
    close: async () => service.shutdown.begin("the test is over"),
  };
}

interface Reply {
  readonly status: number;
  /** Undefined in a refusal. */
  readonly data?: Record<string, unknown>;
  readonly error?: string;
}

type Given<N extends Name> = [params: ParamsOf<Operations[N]>, body?: BodyOf<Operations[N]>];

/** Sends a request to the core that serves the routes, so that a conflict is decided again. */
export async function ask<N extends Name>(
  { deps: { service } }: Core,
  name: N,
  ...[params, body]: Given<N>
): Promise<Reply> {
  const context: RequestContext = {
    requestid: "req_of_a_test",
    deadline: addMs(service.clock(), 5 * secondMs),
    params,
  };
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const reply = await sendRequest(service, routes[name], context, bytes);
  if (!reply.ok) throw new Error(reply.error.logText ?? reply.error.text);
  const { status } = reply.value;
  return { status, ...JSON.parse(Buffer.from(reply.value.body).toString()) };
}

/** Handles a request in this core, whichever core serves the routes. */
export async function handle<N extends Name>(
  { deps }: Core,
  name: N,
  ...[params, body]: Given<N>
): Promise<Reply> {
  const handler = handlers[name](deps) as RouteHandler;
  const now = deps.service.clock();
  const handled = await handler({
    businessid: "",
    params,
    query: undefined,
    body,
    languages: "",
    cause: { now, operationid: undefined, traceparent: undefined },
    deadline: addMs(now, 5 * secondMs),
  });
  if (!handled.ok) return { status: handled.error.status, error: handled.error.text };
  return { status: routes[name].reply.status, ...(handled.value as { data: Reply["data"] & {} }) };
}
