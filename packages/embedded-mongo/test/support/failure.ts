import { MongoServerError } from "mongodb";
import { expect } from "vitest";

/** What the server refused a request with. */
export async function failureOf(promise: Promise<unknown>): Promise<MongoServerError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MongoServerError);
  return error as MongoServerError;
}
