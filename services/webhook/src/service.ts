import {
  consumeEvents,
  createCipher,
  defineService,
  type Service,
  serveRoutes,
} from "@malipo/platform";
import { type WebhookConfig, webhookConfig } from "./config.ts";
import { createLatency } from "./delivery/latency.ts";
import { createWorkerMetrics } from "./delivery/metrics.ts";
import { createRecorder } from "./delivery/recorder.ts";
import { announceDue, startWorker } from "./delivery/worker.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { createResolver } from "./http/resolver.ts";
import { createSender } from "./http/send.ts";
import { startPruning } from "./jobs/prune-event-log.ts";
import { createCursors } from "./store/cursors.ts";
import { openDeliveries } from "./store/deliveries.ts";
import { openEndpoints } from "./store/endpoints.ts";
import { openEventLog } from "./store/event-log.ts";
import { openQueues } from "./store/queues.ts";
import { createSecrets } from "./store/secrets.ts";
import { openTurns } from "./store/turns.ts";
import { createFanOut } from "./workflows/fan-out.ts";

/** The only monotonic clock of this service: leases, timeouts and durations count by it. */
const uptimeMs = () => performance.now();

export const webhookService = defineService({
  name: "webhook",
  config: webhookConfig,
  start: async (service, config) => void (await startWebhook(service, config)),
});

/** Serves requests, writes the event log, and delivers. */
export async function startWebhook(service: Service, config: WebhookConfig): Promise<Deps> {
  const { clock, random, tracer, log } = service;
  const [endpoints, deliveries, queues, turns, eventLog] = await Promise.all([
    openEndpoints(service),
    openDeliveries(service),
    openQueues(service),
    openTurns(service),
    openEventLog(service),
  ]);
  const cipher = createCipher(config.ENCRYPTION_KEY);
  const secrets = createSecrets(cipher);
  const cursors = createCursors(cipher, eventLog.epoch);
  const rules = { allowLoopback: config.ALLOW_LOOPBACK, httpsOnly: config.MODE === "live" };
  const sender = createSender({
    ...rules,
    timeoutMs: config.ATTEMPT_TIMEOUT_MS,
    proxyUrl: config.PROXY_URL,
    resolve: createResolver(),
    clock,
    uptimeMs,
  });
  const stores = { endpoints, deliveries, queues, log: eventLog };
  const firstAttempts = startWorker(service, {
    endpoints,
    deliveries,
    queues,
    secrets,
    sender,
    clock,
    uptimeMs,
    random,
    tracer,
    log,
    recorder: createRecorder(deliveries, log),
    metrics: createWorkerMetrics(service, queues),
    latency: createLatency(),
    delaysMs: config.RETRY_DELAYS,
  });
  const announce = (endpointids: readonly string[]) => announceDue(service, endpointids);
  const fanOut = createFanOut(stores, { firstAttempts, announce, uptimeMs });
  const deps: Deps = { service, ...stores, turns, cursors, secrets, rules, firstAttempts, fanOut };
  await serveRoutes(service, handlers, deps);
  consumeEvents(service, eventHandlers, deps);
  startPruning(service, eventLog);
  return deps;
}
