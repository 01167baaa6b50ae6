import type { UnwrittenDelivery } from "../delivery-documents.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

/** A receiver that takes longer, or fails, is served from the store. */
const quickMs = 200;
/** So few that are read already stand in nobody's way. */
const freshMax = 20;

/** A delivery that is not written down yet, and its place in the queue of an endpoint. */
export interface Offer {
  readonly delivery: UnwrittenDelivery;
  isBegun: boolean;
  /** Its outcome is known, and in the recorder's hands. */
  readonly onOutcome: () => void;
  /** It will not be begun here. */
  readonly onLeft: () => void;
}

/** Whether what is offered will probably be done with in a moment. */
export function takesOffers(held: HeldEndpoint): boolean {
  const { hasEnded, isStopping, isLost, endpoint, health, tookMs, fresh, hasMore } = held;
  if (hasEnded || isStopping || isLost || endpoint?.enabled !== true) return false;
  if (health.failures > 0 || tookMs > quickMs) return false;
  return !hasMore && fresh.length <= freshMax;
}

/** Nothing more is begun here. */
export function leaveOffers(held: HeldEndpoint): void {
  const left = held.offers;
  held.offers = [];
  for (const offer of left) offer.onLeft();
}

/** Takes back what was not begun. */
export function withdraw(held: HeldEndpoint, offers: ReadonlySet<Offer>): void {
  held.offers = held.offers.filter((offer) => !offers.has(offer));
}
