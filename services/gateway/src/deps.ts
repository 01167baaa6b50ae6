import type { EventfulCollection, Service } from "@malipo/platform";
import type { Businesses } from "./store/businesses.ts";
import type { Mode } from "./config.ts";
import type { Credentials } from "./store/credentials.ts";
import type { Evictions } from "./credentials/evict-principals.ts";
import type { Onboarding } from "./store/onboarding.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly businesses: Businesses;
  readonly credentials: Credentials;
  readonly evictions: Evictions;
  readonly onboarding: Onboarding;
  readonly mode: Mode;
  readonly collections: readonly EventfulCollection[];
}
