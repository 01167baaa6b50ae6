import { findProblem } from "./problem-line.ts";

/** From one program in one stretch; the rest of a flood is in its log file. */
const problemsMax = 20;
const stretchMs = 10_000;

/** What of the programs' logs is shown to the person at the terminal. */
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
    const stretch =
      seen !== undefined && now() - seen.since < stretchMs ? seen : { since: now(), count: 0 };
    stretch.count += 1;
    shown.set(name, stretch);
    if (stretch.count <= problemsMax) write(`${name}: ${problem}`);
    if (stretch.count === problemsMax) write(`${name}: … more is in its log file.`);
  };
}
