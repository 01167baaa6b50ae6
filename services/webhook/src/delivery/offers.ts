import type { UnwrittenDelivery } from "../store/delivery-document.ts";
import type { HeldEndpoint } from "../domain/leased-endpoint.ts";
import type { Pace } from "./latency.ts";

/** So few that are read already stand in nobody's way. */
const freshMax = 20;

/** A delivery that is not written down yet, and its place in the queue of an endpoint. */
export interface Offer {
  readonly delivery: UnwrittenDelivery;
  isBegun: boolean;
  readonly onBegun: () => void;
  /** Its outcome is known, and in the recorder's hands. */
  readonly onOutcome: () => void;
  /** It will not be begun here. */
  readonly onLeft: () => void;
}

/** Whether what is offered will probably be done with in a moment. */
export function takesOffers(held: HeldEndpoint, pace: Pace): boolean {
  const { hasEnded, isStopping, isLost, endpoint, health, tookMs, fresh, hasMore } = held;
  if (hasEnded || isStopping || isLost || endpoint?.enabled !== true) return false;
  if (health.failures > 0 || tookMs > pace.quickMs()) return false;
  return !hasMore && fresh.length <= freshMax;
}

/** Nothing more is begun here. */
export function leaveOffers(held: HeldEndpoint): void {
  const left = held.offers;
  held.offers = [];
  for (const offer of left) offer.onLeft();
}

/** Takes back what was not begun. Who is still busy with some of it is slow until it shows otherwise. */
export function withdraw(held: HeldEndpoint, offers: ReadonlySet<Offer>): void {
  held.offers = held.offers.filter((offer) => !offers.has(offer));
  const isSlow = [...offers].some(
    ({ isBegun, delivery }) => isBegun && delivery.endpointid === held.endpointid,
  );
  if (isSlow) held.tookMs = Infinity;
}
