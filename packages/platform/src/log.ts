import { type Logger, pino } from "pino";

export type Log = Logger;

/** Field names that carry secrets or a customer's data, wherever they turn up in a log line. */
const concealed = [
  "authorization",
  "Authorization",
  "secret",
  "token",
  "password",
  "phone",
  "email",
  "body",
];
/** Written in blocks, and never later than this: a line a request would cost a write a request. */
const buffered = { sync: false, minLength: 4_096, periodicFlush: 250 } as const;
const depths = ["", "*.", "*.*.", "*.*.*."];

export function createLog(
  service: string,
  level: string,
  destination?: { write(line: string): void },
): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: concealed.flatMap((name) => depths.map((depth) => depth + name)),
      censor: "[concealed]",
    },
  };
  return pino(options, destination ?? pino.destination(buffered));
}
