import { isWrite, type Operation } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import { createFairQueue, type FairQueue, type FairQueueLimits } from "../fair-queue/index.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Few at once: the store answers them one after the other, and the requests of others wait behind
 * those that it has.
 */
const ofBusinesses: FairQueueLimits = {
  running: 16,
  runningPerKey: 4,
  waiting: 500,
  waitingPerKey: 250,
};
/** More at once: a page may wait for the answer of another service. */
const ofAddresses: FairQueueLimits = {
  running: 64,
  runningPerKey: 8,
  waiting: 250,
  waitingPerKey: 100,
};

/** The queue and the key that a request waits under. */
interface Share {
  readonly queue: FairQueue;
  readonly key: string;
}

/**
 * Tells which requests share what is scarce. Lists and routes without a plan limit do so by
 * business, and pages by the visitor's address. All others have no share: they are cheap or limited
 * by the plan.
 */
export function createRequestShares(
  clock: Clock,
): (operation: Operation, context: RequestContext) => Share | undefined {
  const businesses = createFairQueue(ofBusinesses, clock);
  const addresses = createFairQueue(ofAddresses, clock);
  return (operation, { businessid, address }) => {
    if (businessid !== undefined) {
      const isShared = isList(operation) || hasNoPlanLimit(operation);
      return isShared ? { queue: businesses, key: businessid } : undefined;
    }
    // PDFs have a queue of their own, and a payment must not wait behind pages.
    if (address === undefined || isPdf(operation) || isWrite(operation)) return undefined;
    return { queue: addresses, key: address };
  };
}

const isList = ({ reply }: Operation) => reply.paging !== undefined;

const isPdf = ({ reply }: Operation) => reply.media === "application/pdf";

const hasNoPlanLimit = (operation: Operation) =>
  "rateClass" in operation && operation.rateClass === "none";
