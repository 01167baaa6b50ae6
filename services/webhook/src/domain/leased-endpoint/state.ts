import type { DueDelivery, UnstoredDelivery } from "../delivery.ts";
import type { Endpoint } from "../endpoint.ts";
import { attemptsAtOnce, type Health } from "../health.ts";
import { leaseMs, type Queue } from "../queue.ts";

/** A receiver gets at most this many requests at a time, from all workers together. */
const attemptsMax = 5;
/** After this long the endpoint is read again, because it may have changed. */
const staleMs = 2_000;
/** A worker stops using its lease this long before the lease ends in the store. */
const leaseMarginMs = 1_500;
/** Up to this many stored deliveries may wait before new ones are no longer tried at once. */
const dueWaitingMax = 20;

/** The moment of an event. */
export interface Instant {
  readonly now: Date;
  /**
   * From a monotonic clock, which never goes back. A process that was paused must notice that its
   * lease has ended, even if the wall clock was corrected in between.
   */
  readonly uptimeMs: number;
}

interface Lease extends Pick<Queue, "endpointid" | "owner" | "mark" | "restartedat"> {
  readonly validUntilMs: number;
  /** Another worker has the endpoint. */
  readonly isLost: boolean;
  /** The service stops, or the endpoint is deleted: release it once nothing is in flight. */
  readonly isEnding: boolean;
}

/** A read of the store goes through these steps. Stored deliveries are not started during a read. */
export type ReadStep =
  | { readonly name: "none" }
  | { readonly name: "endpoint" }
  | { readonly name: "backlog"; readonly until: Date; readonly isGone: boolean }
  | { readonly name: "due" };

interface Read {
  readonly step: ReadStep;
  readonly startedMs: number;
  /** Start of the last read that found the lease and the endpoint. */
  readonly confirmedMs: number;
  /** First attempts started during this read: the read may have found them in the store. */
  readonly startedMeanwhile: readonly string[];
}

/** The data of an endpoint until its lease is released. */
export interface LeaseFields {
  readonly lease: Lease;
  /** As last read. */
  readonly endpoint: Endpoint | undefined;
  readonly health: Health;
  /** Duration of the last attempt; infinite when it failed, or when there was none. */
  readonly latencyMs: number;
  /** Attempts under way. */
  readonly sending: number;
  /** Attempts that ended, with an outcome that is not stored yet. */
  readonly storing: number;
  readonly read: Read;
  /** There may be new deliveries in the store. */
  readonly isWakePending: boolean;
  readonly wakeCount: number;
  /** The earliest known time at which a waiting delivery becomes due. */
  readonly nextDueAt: Date | null;
  readonly idleSinceMs: number;
}

/** Sends: the queues exist in this state only. */
export interface Serving extends LeaseFields {
  readonly phase: "serving";
  /** Read from the store, due, and not started. */
  readonly due: readonly DueDelivery[];
  /** The last read found more than it may return. */
  readonly hasMoreDue: boolean;
  /** Deliveries that are not in the store, and not started. */
  readonly firstAttempts: readonly UnstoredDelivery[];
}

/** Starts nothing, and waits until nothing is in flight. Serves again when the cause has passed. */
export interface Draining extends LeaseFields {
  readonly phase: "draining";
}

/** The release is being stored. */
interface Releasing extends LeaseFields {
  readonly phase: "releasing";
}

/** Final. */
interface Released {
  readonly phase: "released";
  /** A worker should scan for this endpoint again at once. */
  readonly isWakePending: boolean;
}

export type Active = Serving | Draining | Releasing;
export type LeasedEndpoint = Active | Released;

export function leaseEndpoint(queue: Queue, claimedAtMs: number): Serving {
  const { endpointid, owner, mark, health, restartedat } = queue;
  const validUntilMs = leaseValidUntil(claimedAtMs);
  return {
    phase: "serving",
    lease: { endpointid, owner, mark, restartedat, validUntilMs, isLost: false, isEnding: false },
    endpoint: undefined,
    health,
    latencyMs: Infinity,
    sending: 0,
    storing: 0,
    read: { step: { name: "none" }, startedMs: 0, confirmedMs: -Infinity, startedMeanwhile: [] },
    isWakePending: true,
    wakeCount: 0,
    nextDueAt: null,
    idleSinceMs: claimedAtMs,
    due: [],
    hasMoreDue: false,
    firstAttempts: [],
  };
}

/** Counted from before the lease was written, so it ends here before it ends in the store. */
export function leaseValidUntil(claimedAtMs: number): number {
  return claimedAtMs + leaseMs - leaseMarginMs;
}

/** 0 while the lease is lost, ending or too old, the endpoint is disabled, or its receiver rests. */
export function attemptsAllowed({ lease, endpoint, health }: LeaseFields, at: Instant): number {
  if (lease.isEnding || lease.isLost || at.uptimeMs >= lease.validUntilMs) return 0;
  if (endpoint?.enabled === false) return 0;
  return attemptsAtOnce(health, at.now, attemptsMax);
}

export function isReading({ read }: LeaseFields): boolean {
  return read.step.name !== "none";
}

export function isReadDue(serving: Serving, { uptimeMs }: Instant): boolean {
  if (isReading(serving)) return false;
  if (serving.due.length === 0 && serving.isWakePending) return true;
  if (serving.due.length + serving.firstAttempts.length === 0) return false;
  return uptimeMs - serving.read.startedMs > staleMs;
}

/** During a read, first attempts may start as long as the read before it is recent enough. */
export function isConfirmedRecently({ read }: LeaseFields, { uptimeMs }: Instant): boolean {
  return uptimeMs - read.confirmedMs < 2 * staleMs;
}

export function inFlight({ sending, storing }: LeaseFields): number {
  return sending + storing;
}

export function isIdle(state: LeasedEndpoint): state is Serving {
  return (
    state.phase === "serving" &&
    !isReading(state) &&
    !state.isWakePending &&
    inFlight(state) === 0 &&
    state.due.length + state.firstAttempts.length === 0
  );
}

/** New deliveries will probably be delivered at once: nothing waits, and the receiver is quick. */
export function takesFirstAttempts(state: LeasedEndpoint, quickMs: number): boolean {
  if (state.phase !== "serving" || state.endpoint?.enabled !== true) return false;
  if (state.health.failures > 0 || state.latencyMs > quickMs) return false;
  return !state.hasMoreDue && state.due.length <= dueWaitingMax;
}
