import { MongoServerError } from "mongodb";

/** What a log may know of an error. MongoDB quotes values in its messages: a phone, an email. */
export function describeError(error: unknown): { message: string; stack: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined };
  const message =
    error instanceof MongoServerError
      ? `${error.name} ${error.code}`
      : `${error.name}: ${error.message}`;
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { message, stack: frames?.join("\n") };
}
