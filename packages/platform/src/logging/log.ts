import { type Logger, pino } from "pino";
import { conceal } from "./redact.ts";
import { inBlocks } from "./log-blocks.ts";

export type Log = Logger;

/** The moment as a line's beginning; many lines share a millisecond. */
function stampMoments() {
  let at = 0;
  let stamp = "";
  return () => {
    const now = Date.now();
    if (now !== at) stamp = `,"time":"${new Date(now).toISOString()}"`;
    at = now;
    return stamp;
  };
}

export function createLog(
  service: string,
  level: string,
  destination?: { write(line: string): void },
): Log {
  const options = {
    level,
    base: { service },
    timestamp: stampMoments(),
    // A list of paths to redact costs a request more than all the rest of its line.
    formatters: { level: (label: string) => ({ level: label }), log: conceal },
    // Errors are described before they come here.
    serializers: { err: (described: unknown) => described },
  };
  return pino(options, destination ?? inBlocks(pino.destination({ sync: false })));
}
