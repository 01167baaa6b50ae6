import type { Service } from "@malipo/platform";
import type { Runs } from "./store/runs.ts";

/** The dependencies of handlers. */
export interface Deps {
  readonly service: Service;
  readonly runs: Runs;
}
