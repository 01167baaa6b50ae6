import { type NewDelivery, unwritten } from "../store/delivery-document.ts";
import type { HeldEndpoint, Serving } from "../domain/leased-endpoint.ts";
import { type Offer, takesOffers, withdraw } from "./offers.ts";
import { createPatience, type Patience } from "./timeouts.ts";
import { serve } from "./run-endpoint.ts";

const batchMs = 50;
const batchMin = 100;
/** So many at the most. */
export const atOnceMax = 400;
/** So often, for with fewer receivers would have nothing to do while what they got is being written. */
export const timesAtOnce = 3;

export interface FirstAttempts {
  /**
   * Tries at once what can be tried at once: a delivery is then written down with what its first
   * attempt made of it, which is half of what it costs else. What takes long is written down as
   * waiting, and goes on.
   */
  tryAtOnce(deliveries: readonly NewDelivery[]): Promise<Tried>;
  /** As many as are tried in about a twentieth of a second. */
  atOnce(): number;
}

interface Tried {
  /** What was not even begun, and is not written. */
  readonly left: readonly NewDelivery[];
  /** What is under way for longer: it is written as waiting. */
  readonly slow: readonly NewDelivery[];
  /** Resolves once all others are written. */
  readonly written: Promise<void>;
}

export function createFirstAttempts(
  serving: Serving,
  held: ReadonlyMap<string, HeldEndpoint>,
): FirstAttempts {
  let atOnce = batchMin;
  return {
    atOnce: () => atOnce,
    tryAtOnce: async (deliveries) => {
      const byEndpoint = Map.groupBy(deliveries, ({ endpointid }) => endpointid);
      const left: NewDelivery[] = [];
      const offered = new Map<HeldEndpoint, readonly NewDelivery[]>();
      for (const [endpointid, own] of byEndpoint) {
        const endpoint = held.get(endpointid);
        if (endpoint && takesOffers(endpoint, serving.pace)) offered.set(endpoint, own);
        else left.push(...own);
      }
      if (offered.size === 0) return { left, slow: [], written: Promise.resolve() };
      const count = deliveries.length - left.length;
      // Others stand behind: a receiver that is not quick any more may hold them up no longer than
      // a quick one, and many that are no longer than twice as long as they should take.
      const patience = createPatience(
        count,
        serving.pace.quickMs() + (2 * timesAtOnce * batchMs * count) / atOnce,
      );
      const tried = await offerAll(serving, offered, patience);
      const halfMs = patience.halfMs();
      // One or two say nothing of how fast it goes, nor do the slowest.
      if (halfMs !== undefined && count >= batchMin / 2) {
        const perMs = count / 2 / Math.max(1, halfMs);
        atOnce = Math.min(atOnceMax, Math.max(batchMin, Math.round(perMs * batchMs)));
      }
      return { ...tried, left: [...left, ...tried.left] };
    },
  };
}

async function offerAll(
  serving: Serving,
  offered: ReadonlyMap<HeldEndpoint, readonly NewDelivery[]>,
  patience: Patience,
): Promise<Tried> {
  const left: NewDelivery[] = [];
  const open = new Set<Offer>();
  for (const [endpoint, own] of offered) {
    for (const delivery of own) {
      const close = () => {
        if (open.delete(offer)) patience.done();
      };
      const offer: Offer = {
        delivery: unwritten(delivery),
        isBegun: false,
        onBegun: () => patience.begun(),
        onOutcome: close,
        onLeft: () => {
          left.push(delivery);
          close();
        },
      };
      open.add(offer);
      endpoint.offers.push(offer);
    }
  }
  for (const endpoint of offered.keys()) serve(serving, endpoint);
  await patience.ended;
  for (const endpoint of offered.keys()) withdraw(endpoint, open);
  const unbegun = [...open].filter(({ isBegun }) => !isBegun).map(({ delivery }) => delivery);
  const slow = [...open].filter(({ isBegun }) => isBegun).map(({ delivery }) => delivery);
  return { left: [...left, ...unbegun], slow, written: serving.recorder.keep(slow) };
}
