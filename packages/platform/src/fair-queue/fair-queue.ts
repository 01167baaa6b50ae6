import { assert, type Clock, err, type Fault, fault, type Result } from "@malipo/core";

export interface FairQueueLimits {
  /** How much work runs at once. */
  readonly running: number;
  /** How much of it may be of one key: less than `running`, so that one key never occupies it all. */
  readonly runningPerKey: number;
  /** How much work may wait. */
  readonly waiting: number;
  readonly waitingPerKey: number;
}

/** The work's place in the queue. */
export interface Turn {
  /** The business or the address that the work is for. */
  readonly key: string;
  /** The caller stops waiting at this time, so the work is not started any more. */
  readonly deadline: Date;
}

export interface FairQueue {
  /** Runs the work in its key's turn. The fault `service_unavailable` means it was not started. */
  run<Value>(turn: Turn, work: () => Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>>;
}

const retryAfterSeconds = 2;

interface Waiter {
  readonly deadline: Date;
  start(): void;
  refuse(reason: string): void;
}

interface Share {
  readonly key: string;
  running: number;
  /** Oldest first. */
  readonly waiting: Waiter[];
}

/**
 * Shares a bounded concurrency among keys. Keys that have work waiting take turns, whatever amount
 * each of them has, so a key delays only its own work.
 */
export function createFairQueue(limits: FairQueueLimits, clock: Clock): FairQueue {
  assert(limits.runningPerKey <= limits.running, "a key runs no more than all keys");
  /** Keys with work that runs or waits; the key that had a turn last is the last one. */
  const shares = new Map<string, Share>();
  let running = 0;
  let waiting = 0;

  const mayRun = (share: Share) => running < limits.running && share.running < limits.runningPerKey;

  async function start<Value>(share: Share, work: () => Promise<Value>): Promise<Value> {
    running += 1;
    share.running += 1;
    moveToEnd(shares, share);
    try {
      return await work();
    } finally {
      // A key that could run no more until now comes after those that could.
      if (share.running === limits.runningPerKey) moveToEnd(shares, share);
      running -= 1;
      share.running -= 1;
      startNext();
    }
  }

  /** Called when work has ended, which leaves room for one other. */
  function startNext(): void {
    const now = clock();
    for (const share of shares.values()) {
      while (mayRun(share)) {
        const waiter = share.waiting.shift();
        if (!waiter) break;
        waiting -= 1;
        if (now < waiter.deadline) return waiter.start();
        waiter.refuse("waited too long");
      }
      if (share.running + share.waiting.length === 0) shares.delete(share.key);
    }
  }

  /** False if all places are taken by keys that have as little waiting as this one. */
  function makeRoom(share: Share): boolean {
    if (share.waiting.length >= limits.waitingPerKey) return false;
    if (waiting < limits.waiting) return true;
    const longest = longestOf(shares.values());
    if (!longest || longest.waiting.length <= share.waiting.length + 1) return false;
    longest.waiting.pop()?.refuse("other keys have less waiting");
    waiting -= 1;
    return true;
  }

  return {
    run: (turn, work) => {
      const share = shares.get(turn.key) ?? { key: turn.key, running: 0, waiting: [] };
      if (mayRun(share)) return start(share, work);
      if (!makeRoom(share)) return Promise.resolve(err(unavailable("too many are waiting")));
      return new Promise((resolve, reject) => {
        waiting += 1;
        shares.set(turn.key, share);
        share.waiting.push({
          deadline: turn.deadline,
          start: () => void start(share, work).then(resolve, reject),
          refuse: (reason) => resolve(err(unavailable(reason))),
        });
      });
    },
  };
}

function moveToEnd(shares: Map<string, Share>, share: Share): void {
  shares.delete(share.key);
  shares.set(share.key, share);
}

/** The key with most work waiting. */
function longestOf(shares: Iterable<Share>): Share | undefined {
  const [longest] = [...shares].toSorted((one, other) => other.waiting.length - one.waiting.length);
  return longest;
}

function unavailable(reason: string): Fault {
  return fault("service_unavailable", { retryAfterSeconds, logText: `fair queue: ${reason}` });
}
