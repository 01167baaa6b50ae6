import { type Clock, secondMs } from "@malipo/core";
import { withTimeout } from "@malipo/platform";
import { dropOldest } from "../domain/drop-oldest.ts";
import {
  addLeases,
  countDemand,
  type CredentialLimits,
  describeTightest,
  type LimitDecision,
  newCredentialLimits,
  recentDemand,
  takeFromBudgets,
  windowsToLease,
} from "../domain/rate-limit/credential-limits.ts";
import { leaseFrom, localAllowances } from "../domain/rate-limit/lease.ts";
import type { Window } from "../domain/rate-limit/windows.ts";
import type { VersionedWindows, WindowStore } from "../store/rate-limit-windows.ts";

const credentialsMax = 20_000;
const replaceTriesMax = 50;
const leaseTriesMax = 10;
/** A store that hangs counts as away. A write that arrives later only uses up part of the limit. */
const storeTimeoutMs = secondMs;

export interface CredentialLimiter {
  /** Counts a request in all windows, or refuses it. */
  take(credentialid: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision>;
  /** Describes the limits without counting a request. */
  peek(credentialid: string, windows: readonly Window[]): LimitDecision;
}

/** The limits of one credential, with the windows as last stored and the requests that wait. */
interface LeasedLimits extends CredentialLimits {
  stored: VersionedWindows | undefined;
  leaseInProgress: Promise<void> | undefined;
  waitingCount: number;
}

export interface CredentialLimiterOptions {
  readonly windowStore: WindowStore;
  readonly clock: Clock;
  /** Called for each lease that is a local allowance, because the store is away. */
  readonly onStoreAway: (credentialid: string, error: unknown) => void;
}

/**
 * Admits requests from leases, so a request costs no write while its leases last. Any number of
 * gateways together never exceed a limit, because every lease is stored before it is used.
 */
export function createCredentialLimiter({
  windowStore,
  clock,
  onStoreAway,
}: CredentialLimiterOptions): CredentialLimiter {
  const limitsById = new Map<string, LeasedLimits>();
  const nowMs = () => clock().getTime();

  async function lease(id: string, limits: LeasedLimits, windows: readonly Window[]) {
    const now = nowMs();
    const toLease = windowsToLease(limits, windows, now);
    const wanted = Math.max(limits.waitingCount, recentDemand(limits));
    try {
      for (let tries = 0; tries < replaceTriesMax; tries += 1) {
        const read = limits.stored ?? (await withTimeout(windowStore.read(id), storeTimeoutMs));
        const { leases, next } = leaseFrom(read.windows, toLease, wanted, now);
        limits.stored = next
          ? await withTimeout(windowStore.replace(id, read, next), storeTimeoutMs)
          : read;
        if (limits.stored) return addLeases(limits, leases);
      }
    } catch (error) {
      limits.stored = undefined;
      onStoreAway(id, error);
      addLeases(limits, localAllowances(toLease, now));
    }
  }

  async function takeAfterLease(id: string, limits: LeasedLimits, windows: readonly Window[]) {
    limits.waitingCount += 1;
    try {
      for (let tries = 0; tries < leaseTriesMax; tries += 1) {
        limits.leaseInProgress ??= lease(id, limits, windows).finally(() => {
          limits.leaseInProgress = undefined;
        });
        await limits.leaseInProgress;
        const decision = takeFromBudgets(limits, windows, nowMs());
        if (decision) return decision;
      }
      // Other requests used up every lease, so there cannot be much left.
      return describeTightest(limits, windows, nowMs(), false);
    } finally {
      limits.waitingCount -= 1;
    }
  }

  return {
    take(id, windows) {
      const limits = limitsOf(limitsById, id);
      const now = nowMs();
      countDemand(limits, now);
      return takeFromBudgets(limits, windows, now) ?? takeAfterLease(id, limits, windows);
    },
    peek: (id, windows) => describeTightest(limitsOf(limitsById, id), windows, nowMs(), true),
  };
}

/** Bounded: when full, the oldest entry goes, and only the rest of its leases is lost. */
function limitsOf(limitsById: Map<string, LeasedLimits>, id: string): LeasedLimits {
  const known = limitsById.get(id);
  if (known) return known;
  dropOldest(limitsById, credentialsMax);
  const limits = {
    ...newCredentialLimits(),
    stored: undefined,
    leaseInProgress: undefined,
    waitingCount: 0,
  };
  limitsById.set(id, limits);
  return limits;
}
