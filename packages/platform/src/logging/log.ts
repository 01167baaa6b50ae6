import { type Logger, pino } from "pino";
import { redact } from "./redact.ts";

export type Log = Logger;

/** Lines leave when so many bytes have gathered, or after so long: one write for many lines. */
const bufferBytes = 12_288;
const flushEveryMs = 250;

/** Formats the time once a millisecond; many lines share one. */
function createTimestamp() {
  let formattedMs = 0;
  let field = "";
  return () => {
    const nowMs = Date.now();
    if (nowMs !== formattedMs) field = `,"time":"${new Date(nowMs).toISOString()}"`;
    formattedMs = nowMs;
    return field;
  };
}

/** JSON lines on standard output, unless a test passes another destination. */
export function createLog(
  service: string,
  level: string,
  destination?: { write(line: string): void },
): Log {
  const options = {
    level,
    base: { service },
    timestamp: createTimestamp(),
    // pino's own `redact` takes a list of paths; it costs a request more than the rest of its line.
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // `redact` has already described the error.
    serializers: { err: (described: unknown) => described },
  };
  return pino(options, destination ?? openBufferedOutput());
}

/** pino writes the rest of the buffer when the process exits, also after an uncaught exception. */
function openBufferedOutput() {
  return pino.destination({ sync: false, minLength: bufferBytes, periodicFlush: flushEveryMs });
}
