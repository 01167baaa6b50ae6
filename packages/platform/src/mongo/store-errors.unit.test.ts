import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import { describe, expect, it } from "vitest";
import { isStoreAway } from "./store-errors.ts";

const concern = {
  ok: 1,
  writeConcernError: { code: 64, errmsg: "waiting for replication timed out" },
};
const selection = new MongoServerSelectionError("no server answers", {} as never);
const emptyResult = {} as never;

describe("isStoreAway", () => {
  it.each([
    ["a broken connection", new MongoNetworkError("closed")],
    ["no server to select", selection],
    [
      "a server that is no longer primary",
      new MongoServerError({ message: "not primary", code: 10_107 }),
    ],
    ["a majority that did not acknowledge", new MongoWriteConcernError(concern as never)],
    [
      "a bulk write that the majority did not acknowledge",
      new MongoBulkWriteError({ message: "", code: 64, writeErrors: [] }, emptyResult),
    ],
    [
      "no server to select for a bulk write",
      new MongoBulkWriteError(selection as never, emptyResult),
    ],
  ])("is true for %s", (_name, error) => {
    expect(isStoreAway(error)).toBe(true);
  });

  it.each([
    ["a duplicate key", new MongoServerError({ message: "E11000", code: 11_000 })],
    ["a programming error", new TypeError("x is not a function")],
  ])("is false for %s", (_name, error) => {
    expect(isStoreAway(error)).toBe(false);
  });
});
