import { type NewDelivery, unstored } from "../domain/delivery.ts";
import { takesFirstAttempts } from "../domain/leased-endpoint/state.ts";
import type { DeliveryDeps, OfferListener, RunningEndpoint } from "./running-endpoint.ts";

/** Deliveries that are offered in one slice. One slice is one write. */
export const firstAttemptsMax = 200;
/** Slices under way at once. With fewer, receivers are idle while outcomes are being stored. */
export const slicesMax = 3;
/** The longest wait for a slice, beyond the time of one quick receiver, for each delivery in it. */
const waitPerDeliveryMs = 1.5;
const waitMaxMs = 500;

export interface FirstAttempts {
  /**
   * Makes the first attempts for which this process has a lease and a quick receiver. Such a
   * delivery is stored together with its outcome, which costs half as much as two writes. An attempt
   * that takes long is stored as waiting, and continues.
   */
  tryAtOnce(deliveries: readonly NewDelivery[]): Promise<Tried>;
}

interface Tried {
  /** Not started and not stored. */
  readonly left: readonly NewDelivery[];
  /** Still under way: stored as waiting. */
  readonly slow: readonly NewDelivery[];
  /** Resolves when all others are stored. */
  readonly stored: Promise<void>;
}

export function createFirstAttempts(
  deps: Pick<DeliveryDeps, "latency" | "recorder">,
  running: ReadonlyMap<string, RunningEndpoint>,
): FirstAttempts {
  return {
    tryAtOnce: async (deliveries) => {
      const byEndpoint = Map.groupBy(deliveries, ({ endpointid }) => running.get(endpointid));
      const left: NewDelivery[] = [];
      const offered = new Map<RunningEndpoint, readonly NewDelivery[]>();
      for (const [endpoint, own] of byEndpoint) {
        if (endpoint && takesFirstAttempts(endpoint.state, deps.latency.quickMs())) {
          offered.set(endpoint, own);
        } else left.push(...own);
      }
      if (offered.size === 0) return { left, slow: [], stored: Promise.resolve() };
      const count = deliveries.length - left.length;
      const waitMs = Math.min(waitMaxMs, deps.latency.quickMs() + count * waitPerDeliveryMs);
      const { refused, slow } = await offerAll(offered, waitMs);
      return { left: [...left, ...refused], slow, stored: deps.recorder.keep(slow.map(unstored)) };
    },
  };
}

/** Offers deliveries to their endpoints, and waits for their outcomes. Takes the rest back. */
async function offerAll(
  offered: ReadonlyMap<RunningEndpoint, readonly NewDelivery[]>,
  waitMs: number,
): Promise<{ readonly refused: readonly NewDelivery[]; readonly slow: readonly NewDelivery[] }> {
  const waiting = new Map([...offered.values()].flat().map((one) => [one.id, one]));
  const underWay = new Map<string, NewDelivery>();
  const refused: NewDelivery[] = [];
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const finishWhenEmpty = () => {
    if (waiting.size + underWay.size === 0) resolve();
  };
  const takeWaiting = (id: string): readonly NewDelivery[] => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found ? [found] : [];
  };
  const listener: OfferListener = {
    onStarted: (id) => takeWaiting(id).forEach((one) => underWay.set(id, one)),
    onFinished: (id) => {
      underWay.delete(id);
      finishWhenEmpty();
    },
    onRefused: (ids) => {
      refused.push(...ids.flatMap(takeWaiting));
      finishWhenEmpty();
    },
  };
  for (const [endpoint, own] of offered) endpoint.offer(own.map(unstored), listener);
  const timer = setTimeout(resolve, waitMs);
  await finished;
  clearTimeout(timer);
  const slow = [...underWay.values()];
  if (waiting.size + slow.length > 0) withdraw([...offered.keys()], waiting, slow);
  return { refused: [...refused, ...waiting.values()], slow };
}

/** A receiver that still has some of them is no longer quick, until an attempt shows otherwise. */
function withdraw(
  endpoints: readonly RunningEndpoint[],
  waiting: ReadonlyMap<string, NewDelivery>,
  slow: readonly NewDelivery[],
): void {
  const ids = new Set(waiting.keys());
  const slowEndpoints = new Set(slow.map(({ endpointid }) => endpointid));
  for (const endpoint of endpoints) {
    endpoint.withdraw(ids, slowEndpoints.has(endpoint.endpointid));
  }
}
