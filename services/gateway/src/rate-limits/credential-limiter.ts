import { secondMs } from "@malipo/core";
import { inTime } from "@malipo/platform";
import {
  type Account,
  type Decision,
  describe,
  grant,
  lackingWindows,
  noteDemand,
  openAccount,
  recentDemand,
  takeNow,
} from "../domain/rate-limit/credential-limits.ts";
import { type Lease, takeLeases } from "../domain/rate-limit/lease.ts";
import type { Ledgers, VersionedLedger } from "../store/rate-limit-windows.ts";
import { startOf, type Window } from "../domain/rate-limit/windows.ts";

const accountsMax = 20_000;
const swapTriesMax = 50;
const refillTriesMax = 10;
/** A store that stands still is as good as away. A late write only counts more as taken. */
const storePatienceMs = secondMs;
/** How much of a limit each gateway may spend by itself while the store is away. */
const allowanceShare = 0.1;

export interface Limiter {
  take(credentialid: string, windows: readonly Window[]): Decision | Promise<Decision>;
  /** What a request would be told, without counting one. */
  peek(credentialid: string, windows: readonly Window[]): Decision;
}

interface SharedAccount extends Account {
  ledger: VersionedLedger | undefined;
  refill: Promise<void> | undefined;
  waiting: number;
}

export interface LimiterOptions {
  readonly ledgers: Ledgers;
  readonly nowMs: () => number;
  /** Called whenever windows are opened on an allowance of our own, without the store. */
  readonly onStoreAway: (credentialid: string, error: unknown) => void;
}

/**
 * Spends leased budgets: a request costs no store write while leases last, and however many
 * gateways there are no limit is exceeded, for nobody spends what is not written down as taken.
 */
export function createLimiter({ ledgers, nowMs, onStoreAway }: LimiterOptions): Limiter {
  const accounts = new Map<string, SharedAccount>();

  async function refill(id: string, account: SharedAccount, windows: readonly Window[]) {
    const now = nowMs();
    const lacking = lackingWindows(account, windows, now);
    const wanted = Math.max(account.waiting, recentDemand(account));
    try {
      for (let tries = 0; tries < swapTriesMax; tries += 1) {
        const read = account.ledger ?? (await inTime(ledgers.read(id), storePatienceMs));
        const { leases, ledger } = takeLeases(read.ledger, lacking, wanted, now);
        account.ledger = ledger
          ? await inTime(ledgers.swap(id, read, ledger), storePatienceMs)
          : read;
        if (account.ledger) return grant(account, leases);
      }
    } catch (error) {
      account.ledger = undefined;
      onStoreAway(id, error);
      grant(account, allowances(lacking, now));
    }
  }

  async function takeSoon(id: string, account: SharedAccount, windows: readonly Window[]) {
    account.waiting += 1;
    try {
      for (let tries = 0; tries < refillTriesMax; tries += 1) {
        account.refill ??= refill(id, account, windows).finally(() => {
          account.refill = undefined;
        });
        await account.refill;
        const decision = takeNow(account, windows, nowMs());
        if (decision) return decision;
      }
      // So many others were faster that there cannot be much left.
      return describe(account, windows, nowMs(), false);
    } finally {
      account.waiting -= 1;
    }
  }

  return {
    take(id, windows) {
      const account = accountOf(accounts, id);
      const now = nowMs();
      noteDemand(account, now);
      return takeNow(account, windows, now) ?? takeSoon(id, account, windows);
    },
    peek: (id, windows) => describe(accountOf(accounts, id), windows, nowMs(), true),
  };
}

/** Bounded: the account that was opened first goes first, and only its unspent leases are lost. */
function accountOf(accounts: Map<string, SharedAccount>, id: string): SharedAccount {
  const known = accounts.get(id);
  if (known) return known;
  const [oldest] = accounts.keys();
  if (accounts.size >= accountsMax && oldest !== undefined) accounts.delete(oldest);
  const account = { ...openAccount(), ledger: undefined, refill: undefined, waiting: 0 };
  accounts.set(id, account);
  return account;
}

function allowances(windows: readonly Window[], nowMs: number): Map<string, Lease> {
  return new Map(
    windows.map((window) => {
      const amount = Math.max(1, Math.floor(window.limit * allowanceShare));
      return [window.name, { startMs: startOf(window, nowMs), amount, left: 0 }];
    }),
  );
}
