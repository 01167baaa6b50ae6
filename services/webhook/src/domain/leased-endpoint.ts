import type { KeyObject } from "node:crypto";
import type { Log } from "@malipo/platform";
import type { Deliveries } from "../store/deliveries.ts";
import type { DueDelivery } from "../store/delivery-document.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Endpoints } from "../store/endpoints.ts";
import { attemptsAtOnce, type Health } from "./health.ts";
import { leaseMs, type Queue, type Queues } from "../store/queues.ts";
import type { Secrets } from "../store/secrets.ts";
import type { Attempting } from "../delivery/attempt.ts";
import type { WorkerMetrics } from "../delivery/metrics.ts";
import type { Offer } from "../delivery/offers.ts";
import type { Pace } from "../delivery/latency.ts";
import type { Recorder } from "../delivery/recorder.ts";

/** One receiver gets no more than so many requests at a time, from all workers together. */
const attemptsMax = 5;
/** After this long it is looked at again whether the endpoint is still as it was. */
const staleMs = 2_000;
/** A lease is given up early, by this process's own clock. */
const leaseMarginMs = 1_500;

export interface Serving extends Attempting {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly secrets: Secrets;
  readonly recorder: Recorder;
  readonly metrics: WorkerMetrics;
  readonly pace: Pace;
  readonly log: Log;
}

/** An endpoint in this process's hands. */
export interface HeldEndpoint {
  readonly endpointid: string;
  readonly owner: string;
  mark: string;
  health: Health;
  restartedat: Date | null;
  /** As it was last looked at. */
  endpoint: Endpoint | undefined;
  keys: readonly KeyObject[];
  lookedAtMs: number;
  /** When it was last seen as it is here. */
  seenAtMs: number;
  /** Due and not begun. */
  fresh: DueDelivery[];
  /** There was more than was read of it. */
  hasMore: boolean;
  /** When something is due that was not yet, the last time it was looked at or tried. */
  laterAt: Date | null;
  /** Not in the store: for whoever offered them they are begun soon or not at all. */
  offers: Offer[];
  /** How long the last attempt took; infinitely if it failed. */
  tookMs: number;
  /** Under way, or ended but not written down yet. */
  readonly busy: Set<string>;
  underWay: number;
  /** There may be something new. */
  isStirred: boolean;
  /** How often it was said so. */
  stirs: number;
  /** At the store: nothing that is there is begun meanwhile. */
  isLooking: boolean;
  /** Offers begun since the last look began: it may have seen them in the store. */
  readonly begunMeanwhile: Set<string>;
  /** On its way out of these hands. */
  isReleasing: boolean;
  /** Nothing more is begun; it is given back when what is under way has ended. */
  isStopping: boolean;
  /** In another worker's hands. */
  isLost: boolean;
  hasEnded: boolean;
  idleSinceMs: number;
  validUntilMs: number;
  /** It is out of these hands; whether somebody should look for it again. */
  readonly onEnd: (lookAgain: boolean) => void;
}

export function holdEndpoint(
  { endpointid, owner, mark, health, restartedat }: Queue,
  claimedAtMs: number,
  onEnd: HeldEndpoint["onEnd"],
): HeldEndpoint {
  return {
    endpointid,
    owner,
    mark,
    health,
    restartedat,
    endpoint: undefined,
    keys: [],
    lookedAtMs: 0,
    seenAtMs: -Infinity,
    fresh: [],
    hasMore: false,
    laterAt: null,
    offers: [],
    tookMs: Infinity,
    busy: new Set(),
    underWay: 0,
    isStirred: true,
    stirs: 0,
    isLooking: false,
    begunMeanwhile: new Set(),
    isReleasing: false,
    isStopping: false,
    isLost: false,
    hasEnded: false,
    idleSinceMs: performance.now(),
    validUntilMs: validUntil(claimedAtMs),
    onEnd,
  };
}

/** By the monotonic clock: a process that was paused must not go on as if nothing had been. */
export function validUntil(claimedAtMs: number): number {
  return claimedAtMs + leaseMs - leaseMarginMs;
}

export function attemptsAllowed(held: HeldEndpoint, now: Date): number {
  if (held.isStopping || held.isLost || performance.now() >= held.validUntilMs) return 0;
  if (held.endpoint?.enabled === false) return 0;
  return attemptsAtOnce(held.health, now, attemptsMax);
}

export function isLookDue(held: HeldEndpoint): boolean {
  if (held.fresh.length === 0 && held.isStirred) return true;
  if (held.fresh.length + held.offers.length === 0) return false;
  return performance.now() - held.lookedAtMs > staleMs;
}

/** A look that is under way may end before what is known is too old to go by. */
export function isSeenLately(held: HeldEndpoint): boolean {
  return performance.now() - held.seenAtMs < 2 * staleMs;
}

export function isIdle(held: HeldEndpoint): boolean {
  return (
    !held.hasEnded &&
    !held.isLooking &&
    !held.isReleasing &&
    !held.isStirred &&
    held.busy.size === 0 &&
    held.fresh.length + held.offers.length === 0
  );
}
