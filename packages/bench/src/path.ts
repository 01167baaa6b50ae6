import type { Processes } from "./processes.ts";
import type { Outcome } from "./report.ts";

/** How long and how hard a path is measured unless told otherwise. */
type Effort = {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
};

/** What a running path is given. */
export type Run = Effort & {
  /** A look, not a measurement: on less data. */
  readonly quick: boolean;
  readonly processes: Processes;
  readonly onProgress: (text: string) => void;
};

/** One path through the system that can be measured. */
export type BenchPath = {
  readonly name: string;
  readonly asks: string;
  readonly baselines: readonly string[];
  readonly effort: Effort;
  readonly run: (run: Run) => Promise<Outcome>;
};
