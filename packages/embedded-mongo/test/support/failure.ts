import { MongoServerError } from "mongodb";
import { expect } from "vitest";

/** The error with which the server refused a request. */
export async function failureOf(promise: Promise<unknown>): Promise<MongoServerError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MongoServerError);
  return error as MongoServerError;
}
