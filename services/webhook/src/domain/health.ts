import { addMs, dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import type { Answer } from "./delivery.ts";
import { jittered } from "./retry-schedule.ts";

/** How well a receiver answers. A rest is a time in which the receiver gets no requests. */
export interface Health {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Rests since the last success: each is longer than the one before. */
  readonly rests: number;
  readonly restuntil: Date | null;
  readonly failingsince: Date | null;
  readonly lastfailureat: Date | null;
}

export const healthy: Health = {
  failures: 0,
  rests: 0,
  restuntil: null,
  failingsince: null,
  lastfailureat: null,
};

const failuresBeforeRest = 5;
const shortestRestMs = secondMs;
const longestRestMs = 5 * minuteMs;
const restsCountedMax = 20;
/** A receiver may ask for a rest up to this long: all its other events wait as well. */
const askedRestMaxMs = hourMs;
const failingMaxMs = 5 * dayMs;
/** Longer than the longest delay between two tries. After such a gap a new streak of failures begins. */
const streakEndsAfterMs = 2 * dayMs;
/** With these statuses a receiver means all requests, so its `Retry-After` becomes a rest. */
const busyStatuses = new Set<number | null>([429, 503]);

/** `random` is from 0 to 1. */
interface Circumstances {
  readonly now: Date;
  readonly random: number;
}

/** The health after an answer. Returns the same object when nothing changes. */
export function updateHealth(
  health: Health,
  { status, problem, retryAfterMs, isInterrupted }: Answer,
  { now, random }: Circumstances,
): Health {
  if (isInterrupted) return health;
  if (problem === null) return health.failures === 0 ? health : healthy;
  const askedRestMs = busyStatuses.has(status) ? retryAfterMs : undefined;
  return afterFailure(health, { now, askedRestMs, random });
}

interface Failure extends Circumstances {
  /** The receiver asked for a rest, for all its requests. */
  readonly askedRestMs?: number | undefined;
}

/** One more failed attempt. From the fifth in a row on the receiver gets a rest. */
export function afterFailure(health: Health, { now, askedRestMs = 0, random }: Failure): Health {
  const { lastfailureat, failingsince } = health;
  const isOneStreak =
    lastfailureat !== null && now.getTime() - lastfailureat.getTime() < streakEndsAfterMs;
  const failures = health.failures + 1;
  const counted = {
    ...health,
    failures,
    failingsince: isOneStreak ? (failingsince ?? now) : now,
    lastfailureat: now,
  };
  // Attempts that were under way when the rest began do not make it longer.
  if (isResting(health, now)) return counted;
  const ownMs =
    failures < failuresBeforeRest
      ? 0
      : jittered(Math.min(longestRestMs, shortestRestMs * 2 ** health.rests), random);
  const restMs = Math.max(ownMs, Math.min(askedRestMs, askedRestMaxMs));
  if (restMs === 0) return counted;
  const rests = Math.min(health.rests + 1, restsCountedMax);
  return { ...counted, rests, restuntil: addMs(now, restMs) };
}

function isResting({ restuntil }: Health, now: Date): boolean {
  return restuntil !== null && restuntil > now;
}

/** After a rest, one attempt at a time until one succeeds. */
export function attemptsAtOnce(health: Health, now: Date, attemptsMax: number): number {
  if (isResting(health, now)) return 0;
  return health.rests > 0 ? 1 : attemptsMax;
}

/** Only failures for five days. */
export function mustDisable({ failingsince, lastfailureat }: Health): boolean {
  if (!failingsince || !lastfailureat) return false;
  return lastfailureat.getTime() - failingsince.getTime() >= failingMaxMs;
}

/** Why the endpoint must be disabled after this answer, as its owner reads it. */
export function disableReason(
  health: Health,
  { status, problem, isInterrupted }: Answer,
): string | undefined {
  if (isInterrupted || problem === null) return undefined;
  if (status === 410) return "Its receiver answered 410 Gone";
  return mustDisable(health) ? `Nothing but failure for 5 days; at last: ${problem}` : undefined;
}
