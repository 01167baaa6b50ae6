import { findProblem } from "./problem-line.ts";

/** The most problems shown for one program in one period; the log file has all. */
const problemsMax = 20;
const periodMs = 10_000;

/** Returns a function that prints the problems of the programs' logs, or every line if `verbose`. */
export function createLogPrinter(
  verbose: boolean,
  write: (line: string) => void,
  now: () => number,
): (name: string, line: string) => void {
  const shown = new Map<string, { since: number; count: number }>();
  return (name, line) => {
    if (verbose) {
      write(`${name}: ${line}`);
      return;
    }
    const problem = findProblem(line);
    if (problem === undefined) return;
    const seen = shown.get(name);
    const period =
      seen !== undefined && now() - seen.since < periodMs ? seen : { since: now(), count: 0 };
    period.count += 1;
    shown.set(name, period);
    if (period.count <= problemsMax) write(`${name}: ${problem}`);
    if (period.count === problemsMax) write(`${name}: … more problems are in its log file.`);
  };
}
