import type { Service } from "@malipo/platform";
import type { Runs } from "./store/runs.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly runs: Runs;
}
