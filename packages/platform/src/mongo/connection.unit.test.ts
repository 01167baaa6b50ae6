import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import { describe, expect, it } from "vitest";
import { isStoreAway } from "./connection.ts";

const concern = {
  ok: 1,
  writeConcernError: { code: 64, errmsg: "waiting for replication timed out" },
};
const selection = new MongoServerSelectionError("nobody there", {} as never);
const nothingWritten = {} as never;

describe("a store that is away", () => {
  it.each([
    ["a broken connection", new MongoNetworkError("closed")],
    ["no server to ask", selection],
    [
      "a server that is no primary any more",
      new MongoServerError({ message: "not primary", code: 10_107 }),
    ],
    ["a majority that did not answer", new MongoWriteConcernError(concern as never)],
    [
      "the same of a bulk write",
      new MongoBulkWriteError({ message: "", code: 64, writeErrors: [] }, nothingWritten),
    ],
    [
      "no server to ask for a bulk write",
      new MongoBulkWriteError(selection as never, nothingWritten),
    ],
  ])("is told by %s", (_name, error) => {
    expect(isStoreAway(error)).toBe(true);
  });

  it.each([
    ["a duplicate key", new MongoServerError({ message: "E11000", code: 11_000 })],
    ["a bug", new TypeError("x is not a function")],
  ])("is not told by %s", (_name, error) => {
    expect(isStoreAway(error)).toBe(false);
  });
});
