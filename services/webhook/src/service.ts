import { minuteMs } from "@malipo/core";
import {
  consumeEvents,
  createCipher,
  defineService,
  type Service,
  serveRoutes,
} from "@malipo/platform";
import { type WebhookConfig, webhookConfig } from "./config.ts";
import { createCursors } from "./store/cursors.ts";
import { openDeliveries } from "./store/deliveries.ts";
import type { Deps } from "./deps.ts";
import { openEndpoints } from "./store/endpoints.ts";
import { openEventLog } from "./store/event-log.ts";
import { createFanOut } from "./workflows/fan-out.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { nameServers } from "./http/resolver.ts";
import { createSender } from "./http/send.ts";
import { openQueues } from "./store/queues.ts";
import { createSecrets } from "./store/secrets.ts";
import { createWorkerMetrics } from "./delivery/metrics.ts";
import { createPace } from "./delivery/latency.ts";
import { createRecorder } from "./delivery/recorder.ts";
import { announceDue, startWorker } from "./delivery/worker.ts";

const pruneEveryMs = 10 * minuteMs;

export const webhookService = defineService({
  name: "webhook",
  config: webhookConfig,
  start: async (service, config) => void (await startWebhook(service, config)),
});

/** Answers requests, writes the event log, and delivers. */
export async function startWebhook(service: Service, config: WebhookConfig): Promise<Deps> {
  const [endpoints, deliveries, queues, log] = await Promise.all([
    openEndpoints(service),
    openDeliveries(service),
    openQueues(service),
    openEventLog(service),
  ]);
  const cipher = createCipher(config.ENCRYPTION_KEY);
  const secrets = createSecrets(cipher);
  const cursors = createCursors(cipher, log.epoch);
  const rules = { allowLoopback: config.ALLOW_LOOPBACK, httpsOnly: config.MODE === "live" };
  const firstAttempts = startWorker(service, {
    endpoints,
    deliveries,
    queues,
    secrets,
    sender: createSender({
      ...rules,
      timeoutMs: config.ATTEMPT_TIMEOUT_MS,
      proxyUrl: config.PROXY_URL,
      resolve: nameServers(),
    }),
    recorder: createRecorder(deliveries, service.log),
    metrics: createWorkerMetrics(service, queues),
    pace: createPace(),
    clock: service.clock,
    tracer: service.tracer,
    delaysMs: config.RETRY_DELAYS,
    random: service.random,
    log: service.log,
  });
  const announce = (endpointids: readonly string[]) => announceDue(service, endpointids);
  const stores = { endpoints, deliveries, queues, log };
  const fanOut = createFanOut(stores, { firstAttempts, announce });
  const deps: Deps = { service, ...stores, cursors, secrets, rules, firstAttempts, fanOut };
  await serveRoutes(service, handlers, deps);
  consumeEvents(service, eventHandlers, deps);

  const pruning = setInterval(() => {
    pruneAll(log, service).catch((error: unknown) => {
      service.log.warn({ err: error }, "log not pruned; tried again");
    });
  }, pruneEveryMs);
  service.shutdown.on("intake", () => clearInterval(pruning));
  return deps;
}

async function pruneAll(log: Deps["log"], { clock, shutdown }: Service): Promise<void> {
  while ((await log.prune(clock())) > 0) {
    if (shutdown.signal.aborted) return;
  }
}
