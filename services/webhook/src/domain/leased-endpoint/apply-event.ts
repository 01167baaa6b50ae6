import { disableEndpoint, isDeleted } from "../endpoint.ts";
import { disableReason, healthy, updateHealth } from "../health.ts";
import type { Command, EndpointEvent, EndpointEventOf } from "./messages.ts";
import {
  type Active,
  attemptsAllowed,
  type LeaseFields,
  type Instant,
  leaseValidUntil,
  type ReadStep,
} from "./state.ts";

/** Deliveries that one read returns. */
export const dueMax = 100;
/** A delivery that becomes due within this time gets a timer. */
const soonMs = 5_000;
/** Timers and the clock differ by a millisecond or two. */
const clockMarginMs = 5;
const readRetryMs = 500;

/** The state after an event, in the same phase, and the commands that this event causes. */
export interface Applied {
  readonly state: Active;
  readonly commands: readonly Command[];
}

/** Changes the data as the event says. The phase, and what starts next, follow in `transition`. */
export function applyEvent(state: Active, event: EndpointEvent, at: Instant): Applied {
  switch (event.kind) {
    case "woken":
      return stay(woken(state));
    case "leaseRenewed":
      return stay(leaseRenewed(state, event));
    case "leaseLost":
      return stay({ ...state, lease: { ...state.lease, isLost: true } });
    case "stopping":
      return stay({ ...state, lease: { ...state.lease, isEnding: true } });
    case "firstAttemptsOffered":
      return firstAttemptsOffered(state, event);
    case "firstAttemptsWithdrawn":
      return stay(firstAttemptsWithdrawn(state, event));
    case "endpointRead":
      return endpointRead(state, event, at);
    case "backlogDropped":
      return backlogDropped(state, event, at);
    case "dueRead":
      return stay(dueRead(state, event));
    case "readFailed":
      return {
        state: withReadStep(state, { name: "none" }),
        commands: [{ kind: "wakeAfter", delayMs: readRetryMs }],
      };
    case "attemptFinished":
      return attemptFinished(state, event, at);
    case "attemptStored":
      return attemptStored(state, event, at);
    case "idleChecked":
    case "releaseFinished":
      return stay(state);
    default:
      return event satisfies never;
  }
}

function stay(state: Active): Applied {
  return { state, commands: [] };
}

export function refuse(
  deliveries: EndpointEventOf<"firstAttemptsOffered">["deliveries"],
): readonly Command[] {
  return deliveries.length === 0 ? [] : [{ kind: "refuseFirst", deliveries }];
}

function woken<State extends Active>(state: State): State {
  return { ...state, isWakePending: true, wakeCount: state.wakeCount + 1 };
}

/** A changed mark is a wake-up whose message got lost. */
function leaseRenewed(
  state: Active,
  { renewedAtMs, mark }: EndpointEventOf<"leaseRenewed">,
): Active {
  const lease = { ...state.lease, validUntilMs: leaseValidUntil(renewedAtMs) };
  const renewed = { ...state, lease };
  return mark === undefined || mark === lease.mark ? renewed : woken(renewed);
}

function firstAttemptsOffered(
  state: Active,
  { deliveries }: EndpointEventOf<"firstAttemptsOffered">,
): Applied {
  if (state.phase !== "serving") return { state, commands: refuse(deliveries) };
  return stay({ ...state, firstAttempts: [...state.firstAttempts, ...deliveries] });
}

function firstAttemptsWithdrawn(
  state: Active,
  { ids, isSlow }: EndpointEventOf<"firstAttemptsWithdrawn">,
): Active {
  const latencyMs = isSlow ? Infinity : state.latencyMs;
  if (state.phase !== "serving") return { ...state, latencyMs };
  const firstAttempts = state.firstAttempts.filter(({ id }) => !ids.has(id));
  return { ...state, latencyMs, firstAttempts };
}

/**
 * The mark is read before the due deliveries. A mark that changes later makes the release fail, and
 * then the endpoint is read again.
 */
function endpointRead(
  state: Active,
  { queue, endpoint }: EndpointEventOf<"endpointRead">,
  at: Instant,
): Applied {
  const { lease } = state;
  if (queue?.owner !== lease.owner) {
    const lost = { ...state, lease: { ...lease, isLost: true } };
    return stay(withReadStep(lost, { name: "none" }));
  }
  const { mark, restartedat, dropuntil } = queue;
  const isRestarted = restartedat?.getTime() !== lease.restartedat?.getTime();
  const isGone = endpoint === null || isDeleted(endpoint);
  const known: Active = {
    ...state,
    lease: { ...lease, mark, restartedat },
    health: isRestarted ? healthy : state.health,
    endpoint: endpoint ?? undefined,
    read: { ...state.read, confirmedMs: state.read.startedMs },
  };
  const until = isGone ? at.now : dropuntil;
  if (until === null) return readDue(known, at);
  return {
    state: withReadStep(known, { name: "backlog", until, isGone }),
    commands: [{ kind: "dropBacklog", until }],
  };
}

function backlogDropped(
  state: Active,
  { isDone }: EndpointEventOf<"backlogDropped">,
  at: Instant,
): Applied {
  const { lease, read } = state;
  if (read.step.name !== "backlog") return stay(state);
  const { until, isGone } = read.step;
  if (!isDone && !lease.isLost && !lease.isEnding) {
    return { state, commands: [{ kind: "dropBacklog", until }] };
  }
  return readDue(isGone ? { ...state, lease: { ...lease, isEnding: true } } : state, at);
}

function readDue(state: Active, at: Instant): Applied {
  if (attemptsAllowed(state, at) === 0) return stay(withReadStep(state, { name: "none" }));
  return { state: withReadStep(state, { name: "due" }), commands: [{ kind: "readDue" }] };
}

function dueRead(state: Active, { due, nextDueAt }: EndpointEventOf<"dueRead">): Active {
  const hasMoreDue = due.length === dueMax;
  const read = withReadStep({ ...state, nextDueAt: earlier(state.nextDueAt, nextDueAt) }, none);
  if (read.phase !== "serving") {
    return { ...read, isWakePending: read.isWakePending || due.length > 0 };
  }
  const started = new Set(read.read.startedMeanwhile);
  return {
    ...read,
    due: due.filter(({ id }) => !started.has(id)),
    hasMoreDue,
    isWakePending: read.isWakePending || hasMoreDue,
  };
}

function attemptFinished(
  state: Active,
  { answer, milliseconds, url, random }: EndpointEventOf<"attemptFinished">,
  { now }: Instant,
): Applied {
  const health = updateHealth(state.health, answer, { now, random });
  const finished = {
    ...state,
    sending: state.sending - 1,
    storing: state.storing + 1,
    latencyMs: answer.problem === null ? milliseconds : Infinity,
    health,
  };
  const stored: readonly Command[] = health === state.health ? [] : [{ kind: "storeHealth" }];
  const reason = disableReason(health, answer);
  const { endpoint } = state;
  // A late answer from an old address says nothing about the new one.
  if (reason === undefined || endpoint?.url !== url) return { state: finished, commands: stored };
  return {
    state: { ...finished, endpoint: disableEndpoint(endpoint, reason, now) },
    commands: [...stored, { kind: "disable", endpoint, reason }],
  };
}

function attemptStored(
  state: Active,
  { dueat, wakeCount }: EndpointEventOf<"attemptStored">,
  { now, uptimeMs }: Instant,
): Applied {
  const dueInMs = dueat ? dueat.getTime() - now.getTime() : Infinity;
  return {
    state: {
      ...state,
      storing: state.storing - 1,
      idleSinceMs: uptimeMs,
      nextDueAt: earlier(state.nextDueAt, dueat),
      // A read during the attempt left this delivery out, and a person may have resent it.
      isWakePending: state.isWakePending || state.wakeCount !== wakeCount,
    },
    commands:
      dueInMs < soonMs
        ? [{ kind: "wakeAfter", delayMs: Math.max(0, dueInMs) + clockMarginMs }]
        : [],
  };
}

const none: ReadStep = { name: "none" };

function withReadStep<State extends LeaseFields>(state: State, step: ReadStep): State {
  return { ...state, read: { ...state.read, step } };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return other < one ? other : one;
}
