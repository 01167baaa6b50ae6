import type { Processes } from "./processes.ts";
import type { Outcome } from "./report.ts";

/** How long and with how much load a path is measured, unless the command line says otherwise. */
type Effort = {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
};

/** The settings and tools that a path gets for its run. */
export type Run = Effort & {
  /** Checks that the path runs, on less data; its figures mean little. */
  readonly quick: boolean;
  readonly processes: Processes;
  readonly onProgress: (text: string) => void;
};

/** One path through the system that can be measured. */
export type BenchPath = {
  readonly name: string;
  /** Completes the sentence "This path measures …". */
  readonly measures: string;
  readonly baselines: readonly string[];
  readonly effort: Effort;
  readonly run: (run: Run) => Promise<Outcome>;
};
