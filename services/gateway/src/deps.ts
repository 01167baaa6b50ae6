import type { EventfulCollection, Service } from "@malipo/platform";
import type { Mode } from "./config.ts";
import type { PrincipalEviction } from "./credentials/evict-principals.ts";
import type { Businesses } from "./store/businesses.ts";
import type { Credentials } from "./store/credentials.ts";
import type { Onboarding } from "./store/onboarding.ts";

/** The dependencies of handlers. */
export interface Deps {
  readonly service: Service;
  readonly businesses: Businesses;
  readonly credentials: Credentials;
  readonly principalEviction: PrincipalEviction;
  readonly onboarding: Onboarding;
  readonly mode: Mode;
  /** The collections whose events this service publishes. */
  readonly collections: readonly EventfulCollection[];
}
