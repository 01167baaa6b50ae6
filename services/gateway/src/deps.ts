import type { Businesses } from "./businesses.ts";
import type { Mode } from "./config.ts";
import type { Credentials } from "./credentials.ts";

/** What handlers work with. */
export interface Deps {
  readonly businesses: Businesses;
  readonly credentials: Credentials;
  readonly mode: Mode;
}
