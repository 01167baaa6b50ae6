import type { DueDelivery } from "../delivery.ts";
import { isDeleted } from "../endpoint.ts";
import { applyEvent, refuse } from "./apply-event.ts";
import type { Command, EndpointEvent, EndpointEventOf, SendCommand } from "./messages.ts";
import {
  type Active,
  attemptsAllowed,
  type Draining,
  type LeaseFields,
  inFlight,
  type Instant,
  isConfirmedRecently,
  isIdle,
  isReadDue,
  isReading,
  type LeasedEndpoint,
  type Serving,
  takesFirstAttempts,
} from "./state.ts";

/** An idle endpoint stays leased for this long. */
const lingerMs = 1_000;
/** While a receiver is quick, its next delivery costs half as much if the endpoint stays leased. */
const quickLingerMs = 10_000;

export interface Step<State extends LeasedEndpoint = LeasedEndpoint> {
  readonly state: State;
  readonly commands: readonly Command[];
}

/** First the event changes the data. Then the phase, and the work that starts next, follow from it. */
export function transition(state: LeasedEndpoint, event: EndpointEvent, at: Instant): Step {
  if (state.phase === "released") {
    const isOffer = event.kind === "firstAttemptsOffered";
    return { state, commands: isOffer ? refuse(event.deliveries) : [] };
  }
  if (event.kind === "releaseFinished") return afterRelease(state, event, at);
  if (event.kind === "idleChecked" && isReleaseDue(state, event, at)) return startRelease(state);
  const applied = applyEvent(state, event, at);
  const next = advance(applied.state, at);
  return { state: next.state, commands: [...applied.commands, ...next.commands] };
}

/**
 * An idle endpoint stays leased for a while, because its next event is often near. A delivery that
 * becomes due in between is left to the worker that claims the endpoint then.
 */
function isReleaseDue(
  state: Active,
  { hasRoom, quickMs }: EndpointEventOf<"idleChecked">,
  { now, uptimeMs }: Instant,
): boolean {
  if (!isIdle(state)) return false;
  if (state.nextDueAt !== null && state.nextDueAt <= now) return true;
  const isWorthKeeping = hasRoom && takesFirstAttempts(state, quickMs);
  return uptimeMs - state.idleSinceMs >= (isWorthKeeping ? quickLingerMs : lingerMs);
}

function startRelease(state: Active): Step {
  const { endpoint, lease } = state;
  // The deliveries of a deleted endpoint are still dropped later, so it is not parked.
  const isParked = endpoint?.enabled === false && !isDeleted(endpoint);
  return {
    state: { ...leaseFieldsOf(state), phase: "releasing" },
    commands: [lease.isLost ? { kind: "markDue" } : { kind: "release", isParked }],
  };
}

/** A release is refused when the mark has changed or the lease is lost: a read tells which. */
function afterRelease(
  state: Active,
  { outcome }: EndpointEventOf<"releaseFinished">,
  at: Instant,
): Step {
  const { isWakePending } = state;
  if (outcome !== "changed") {
    return {
      state: { phase: "released", isWakePending },
      commands: [{ kind: "end", isScanNeeded: isWakePending }],
    };
  }
  return startRead({ ...leaseFieldsOf(state), ...emptyQueues, phase: "serving" }, at);
}

/** Chooses the phase: draining while no attempt is allowed, else serving. */
function advance(state: Active, at: Instant): Step {
  if (state.phase === "releasing") return { state, commands: [] };
  const allowed = attemptsAllowed(state, at);
  return allowed === 0 ? drain(state) : serve(state, allowed, at);
}

function drain(state: Serving | Draining): Step {
  const refused = state.phase === "serving" ? refuse(state.firstAttempts) : [];
  const draining: Draining = { ...leaseFieldsOf(state), phase: "draining" };
  if (inFlight(state) > 0 || isReading(state)) return { state: draining, commands: refused };
  const releasing = startRelease(draining);
  return { state: releasing.state, commands: [...refused, ...releasing.commands] };
}

function serve(state: Serving | Draining, allowed: number, at: Instant): Step {
  const serving: Serving =
    state.phase === "serving" ? state : { ...state, ...emptyQueues, phase: "serving" };
  const before = readWhenDue({ state: serving, commands: [] }, allowed, at);
  if (isReading(before.state)) {
    return isConfirmedRecently(serving, at) ? sendFirst(before, allowed) : before;
  }
  // Stored deliveries go first, because they have waited longer.
  return readWhenDue(sendFirst(sendDue(before, allowed), allowed), allowed, at);
}

function readWhenDue({ state, commands }: Step<Serving>, allowed: number, at: Instant) {
  if (state.sending >= allowed || !isReadDue(state, at)) return { state, commands };
  const reading = startRead(state, at);
  return { state: reading.state, commands: [...commands, ...reading.commands] };
}

function startRead(state: Serving, { uptimeMs }: Instant): Step<Serving> {
  const read = {
    ...state.read,
    step: { name: "endpoint" },
    startedMs: uptimeMs,
    startedMeanwhile: [],
  } as const;
  return {
    state: { ...state, isWakePending: false, read },
    commands: [{ kind: "readEndpoint" }],
  };
}

function sendDue(step: Step<Serving>, allowed: number): Step<Serving> {
  const { state, commands } = step;
  const started = startable(state, state.due, allowed);
  if (started.length === 0) return step;
  const sending = state.sending + started.length;
  return {
    state: { ...state, due: state.due.slice(started.length), sending },
    commands: [...commands, ...started.map((one) => ({ kind: "send", ...one }) as const)],
  };
}

function sendFirst(step: Step<Serving>, allowed: number): Step<Serving> {
  const { state, commands } = step;
  const started = startable(state, state.firstAttempts, allowed);
  if (started.length === 0) return step;
  const sending = state.sending + started.length;
  const startedIds = started.map(({ delivery }) => delivery.id);
  const startedMeanwhile = isReading(state) ? [...state.read.startedMeanwhile, ...startedIds] : [];
  return {
    state: {
      ...state,
      firstAttempts: state.firstAttempts.slice(started.length),
      sending,
      read: { ...state.read, startedMeanwhile },
    },
    commands: [...commands, ...started.map((one) => ({ kind: "sendFirst", ...one }) as const)],
  };
}

/** Nothing is sent before the endpoint has been read. */
function startable<Tried extends DueDelivery>(
  { endpoint, sending, wakeCount }: Serving,
  deliveries: readonly Tried[],
  allowed: number,
): readonly SendCommand<Tried>[] {
  if (!endpoint) return [];
  const { url } = endpoint;
  const room = Math.max(0, allowed - sending);
  return deliveries.slice(0, room).map((delivery) => ({ delivery, url, wakeCount }));
}

const emptyQueues = { due: [], hasMoreDue: false, firstAttempts: [] } as const;

/** The data that all states share, without the queues. */
function leaseFieldsOf(state: LeaseFields): LeaseFields {
  const { lease, endpoint, health, latencyMs, sending, storing, read } = state;
  const { isWakePending, wakeCount, nextDueAt, idleSinceMs } = state;
  return {
    lease,
    endpoint,
    health,
    latencyMs,
    sending,
    storing,
    read,
    isWakePending,
    wakeCount,
    nextDueAt,
    idleSinceMs,
  };
}
