import { addMs, minuteMs } from "@malipo/core";
import type { Answer, DueDelivery, UnstoredDelivery } from "../src/domain/delivery.ts";
import { newEndpoint } from "../src/domain/endpoint.ts";
import { healthy } from "../src/domain/health.ts";
import type { Command, EndpointEvent } from "../src/domain/leased-endpoint/messages.ts";
import {
  leaseEndpoint,
  type LeasedEndpoint,
  type Serving,
} from "../src/domain/leased-endpoint/state.ts";
import { transition } from "../src/domain/leased-endpoint/transition.ts";
import type { Queue } from "../src/domain/queue.ts";

export const now = new Date("2026-11-22T08:00:00Z");
const url = "https://example.co.ke/";
const ids = { id: "endpoint-1", businessid: "business-1", slot: 1 };
export const endpoint = newEndpoint(ids, { url }, "sealed", now);
export const queue: Queue = {
  endpointid: "endpoint-1",
  owner: "worker-1",
  mark: "mark-1",
  health: healthy,
  restartedat: null,
  dropuntil: null,
};
export const resting = { ...healthy, failures: 5, rests: 1, restuntil: addMs(now, minuteMs) };

export function due(...names: string[]): DueDelivery[] {
  return names.map((id) => ({
    id,
    endpointid: "endpoint-1",
    eventid: `evt_${id}`,
    type: "payment.completed",
    resourceid: "r",
    sequence: 1,
    body: "{}",
    tries: 0,
    version: 1,
  }));
}

export function first(...names: string[]): UnstoredDelivery[] {
  return due(...names).map((one) => ({ ...one, businessid: "b", dueat: now, createdat: now }));
}

/** A leased endpoint that has read its store: it is idle at 0 ms, and its receiver is quick. */
export const idle: Serving = {
  ...leaseEndpoint(queue, 0),
  endpoint,
  latencyMs: 10,
  isWakePending: false,
  read: { step: { name: "none" }, startedMs: 0, confirmedMs: 0, startedMeanwhile: [] },
};
export const reading = (name: "endpoint" | "due"): Serving => ({
  ...idle,
  read: { ...idle.read, step: { name } },
});
export const dropping: Serving = {
  ...idle,
  read: { ...idle.read, step: { name: "backlog", until: now, isGone: false } },
};
export const draining = {
  ...idle,
  phase: "draining",
  health: resting,
  sending: 1,
} satisfies LeasedEndpoint;
export const releasing = { ...idle, phase: "releasing" } satisfies LeasedEndpoint;
export const released = { phase: "released", isWakePending: false } satisfies LeasedEndpoint;

export const answered = (status: number): Answer => ({
  status,
  problem: status === 200 ? null : `answered ${status}`,
  response: "",
});
export const finished = (answer: Answer, own: { url?: string } = {}): EndpointEvent => ({
  kind: "attemptFinished",
  answer,
  milliseconds: 20,
  url,
  random: 0.5,
  ...own,
});
export const stored = (dueat: Date | null = null): EndpointEvent => ({
  kind: "attemptStored",
  dueat,
  wakeCount: 0,
});
export const offered = (...names: string[]): EndpointEvent => ({
  kind: "firstAttemptsOffered",
  deliveries: first(...names),
});
export const endpointRead = (
  own: Partial<Queue> = {},
  found: typeof endpoint | null = endpoint,
): EndpointEvent => ({ kind: "endpointRead", queue: { ...queue, ...own }, endpoint: found });
export const dueRead = (...names: string[]): EndpointEvent => ({
  kind: "dueRead",
  due: due(...names),
  nextDueAt: null,
});
export const idleChecked = {
  kind: "idleChecked",
  hasRoom: true,
  quickMs: 50,
} satisfies EndpointEvent;
export const releaseFinished = (outcome: "released" | "changed" | "failed"): EndpointEvent => ({
  kind: "releaseFinished",
  outcome,
});

/** A command in one word, with the delivery it is about. */
function nameOf(command: Command): string {
  if (command.kind === "send" || command.kind === "sendFirst") {
    return `${command.kind} ${command.delivery.id}`;
  }
  if (command.kind === "refuseFirst") {
    return `refuse ${command.deliveries.map(({ id }) => id).join(" ")}`;
  }
  return command.kind;
}

export function run(state: LeasedEndpoint, event: EndpointEvent, uptimeMs = 100) {
  const step = transition(state, event, { now, uptimeMs });
  return { state: step.state, commands: step.commands, names: step.commands.map(nameOf) };
}
