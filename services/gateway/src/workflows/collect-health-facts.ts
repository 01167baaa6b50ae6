import { calls, type HealthCall, type StreamKey, streamName, streams } from "@malipo/contracts";
import { addMs, clockSkew, secondMs } from "@malipo/core";
import {
  callService,
  countDeadLetters,
  withTimeout,
  type Service,
  findStreamReplicas,
} from "@malipo/platform";
import type { HealthFacts, ServiceReport } from "../domain/health/facts.ts";

const timeoutMs = 2 * secondMs;

const healthCalls: readonly HealthCall[] = [
  calls.reportGatewayHealth,
  calls.reportInvoiceHealth,
  calls.reportPaymentHealth,
  calls.reportSubscriptionHealth,
  calls.reportWebhookHealth,
  calls.reportSchedulerHealth,
];

/** Asks all services and NATS at the same time, and waits two seconds at most. */
export async function collectHealthFacts(service: Service): Promise<HealthFacts> {
  const { wire, config, clock } = service;
  const [services, states, deadletters] = await Promise.all([
    Promise.all(healthCalls.map(async (call) => askForHealth(service, call))),
    withTimeout(findStreamReplicas(wire.nats, config.NAMESPACE), timeoutMs).catch(() => null),
    withTimeout(countDeadLetters(wire.nats, config.NAMESPACE), timeoutMs).catch(() => null),
  ]);
  return {
    at: clock(),
    services,
    deadletters,
    streams: (Object.keys(streams) as StreamKey[]).map((stream) => ({
      name: streamName(config.NAMESPACE, stream),
      replicas: states === null ? null : (states.get(stream) ?? 0),
    })),
  };
}

async function askForHealth(service: Service, call: HealthCall): Promise<ServiceReport> {
  const askedAt = service.clock();
  const answer = await callService(service, call, {
    body: {},
    deadline: addMs(askedAt, timeoutMs),
  });
  const answeredAt = service.clock();
  const { service: name } = call;
  if (!answer.ok) return { name, problem: answer.error.logText ?? answer.error.text };
  const skewMs = clockSkew(new Date(answer.value.at), askedAt, answeredAt);
  return { name, health: answer.value, skewMs };
}
