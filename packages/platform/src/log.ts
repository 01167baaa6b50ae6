import { type Logger, pino } from "pino";
import { conceal } from "./conceal.ts";

export type Log = Logger;

/** Written in blocks, and never later than this: a line a request would cost a write a request. */
const buffered = { sync: false, minLength: 12_288, periodicFlush: 250 } as const;

export function createLog(
  service: string,
  level: string,
  destination?: { write(line: string): void },
): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    // A list of paths to redact costs a request more than all the rest of its line.
    formatters: { level: (label: string) => ({ level: label }), log: conceal },
    // Errors are described before they come here.
    serializers: { err: (described: unknown) => described },
  };
  return pino(options, destination ?? pino.destination(buffered));
}
