import { calls, type HealthCall, type StreamKey, streamName, streams } from "@malipo/contracts";
import { addMs, clockSkew, secondMs } from "@malipo/core";
import { ask, countDeadLetters, inTime, type Service, streamStates } from "@malipo/platform";
import type { Examined, Facts } from "../domain/health/findings.ts";

const patienceMs = 2 * secondMs;

const reports: readonly HealthCall[] = [
  calls.reportGatewayHealth,
  calls.reportInvoiceHealth,
  calls.reportPaymentHealth,
  calls.reportSubscriptionHealth,
  calls.reportWebhookHealth,
  calls.reportSchedulerHealth,
];

/** Asks everybody at once; who does not answer in time has not answered. */
export async function examine(service: Service): Promise<Facts> {
  const { wire, config, clock } = service;
  const [services, states, deadletters] = await Promise.all([
    Promise.all(reports.map(async (report) => examineService(service, report))),
    inTime(streamStates(wire.nats, config.NAMESPACE), patienceMs).catch(() => null),
    inTime(countDeadLetters(wire.nats, config.NAMESPACE), patienceMs).catch(() => null),
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

async function examineService(service: Service, report: HealthCall): Promise<Examined> {
  const asked = service.clock();
  const answer = await ask(service, report, { body: {}, deadline: addMs(asked, patienceMs) });
  const answered = service.clock();
  const { service: name } = report;
  if (!answer.ok) return { name, problem: answer.error.detail ?? answer.error.text };
  const skewMs = clockSkew(new Date(answer.value.at), asked, answered);
  return { name, health: answer.value, skewMs };
}
