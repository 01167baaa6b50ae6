import { MongoServerError } from "mongodb";

/**
 * The parts of an error that may be logged. A message of a MongoDB server quotes values, such as a
 * phone number or an email address, so only its name and code are kept.
 */
export function describeError(error: unknown): { message: string; stack: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined };
  const message =
    error instanceof MongoServerError
      ? `${error.name} ${error.code}`
      : `${error.name}: ${error.message}`;
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { message, stack: frames?.join("\n") };
}
