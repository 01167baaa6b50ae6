import { addMs, dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { jittered } from "./retry-schedule.ts";

/** How it stands with a receiver. */
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
/** As long as a receiver may keep all others of its events waiting. */
const askedRestMaxMs = hourMs;
const failingMaxMs = 5 * dayMs;
/** Longer than the longest pause between two tries: after that nothing was tried any more. */
const streakEndsAfterMs = 2 * dayMs;

export interface Failure {
  readonly now: Date;
  /** The receiver asked for it, for all that is sent to it. */
  readonly askedRestMs?: number | undefined;
  readonly random: number;
}

/** One more failed attempt: beyond a few in a row the receiver is given a rest. */
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
  // What was under way when the rest began makes it no longer.
  if (isResting(health, now)) return counted;
  const ownMs =
    failures < failuresBeforeRest
      ? 0
      : jittered(Math.min(longestRestMs, shortestRestMs * 2 ** health.rests), random);
  const restMs = Math.max(ownMs, Math.min(askedRestMs, askedRestMaxMs));
  if (restMs === 0) return counted;
  return { ...counted, rests: Math.min(health.rests + 1, 20), restuntil: addMs(now, restMs) };
}

function isResting({ restuntil }: Health, now: Date): boolean {
  return restuntil !== null && restuntil > now;
}

/** After a rest one attempt shows whether the receiver is well again. */
export function attemptsAtOnce(health: Health, now: Date, most: number): number {
  if (isResting(health, now)) return 0;
  return health.rests > 0 ? 1 : most;
}

/** Nothing but failure for so long that nobody seems to be there any more. */
export function isGivenUp({ failingsince, lastfailureat }: Health): boolean {
  if (!failingsince || !lastfailureat) return false;
  return lastfailureat.getTime() - failingsince.getTime() >= failingMaxMs;
}
