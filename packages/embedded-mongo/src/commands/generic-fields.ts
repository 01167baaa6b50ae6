import type { CommandBody, Fields } from "./command-body.ts";
import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";

/** Fields that every command takes. */
export const genericFields: Fields = {
  $db: "string",
  lsid: "object",
  txnNumber: "number",
  autocommit: "bool",
  startTransaction: "bool",
  readConcern: "object",
  writeConcern: "object",
  $readPreference: "object",
  $clusterTime: "object",
  maxTimeMS: "number",
  comment: "any",
  apiVersion: "string",
  apiStrict: "bool",
  apiDeprecationErrors: "bool",
};

/** The commands of MongoDB's stable API, version 1. */
const stableCommands = new Set(
  (
    "abortTransaction aggregate bulkWrite collMod commitTransaction count create createIndexes " +
    "delete drop dropDatabase dropIndexes endSessions explain find findAndModify getMore hello " +
    "insert killCursors listCollections listDatabases listIndexes ping refreshSessions update"
  ).split(" "),
);

const readConcernLevels = new Set(["local", "available", "majority", "linearizable", "snapshot"]);

export function checkGenericOptions(body: CommandBody, inTransaction: boolean): void {
  if (body.has("readConcern")) checkReadConcern(body.document("readConcern") ?? {}, inTransaction);
  if (body.has("$readPreference")) checkReadPreference(body.document("$readPreference") ?? {});
  if (body.has("apiVersion") && body.string("apiVersion") !== "1") {
    throw new MongoError(322, `API version must be "1"`);
  }
  if (body.bool("apiStrict") && !stableCommands.has(body.path)) {
    throw new MongoError(
      323,
      `Provided apiStrict:true, but the command ${body.path} is not in API Version 1`,
    );
  }
}

function checkReadConcern(readConcern: Document, inTransaction: boolean): void {
  for (const [name, value] of Object.entries(readConcern)) {
    if (name === "level") {
      if (typeof value !== "string" || !readConcernLevels.has(value)) {
        throw new MongoError(
          "BadValue",
          `Enumeration value '${String(value)}' for field 'readConcern.level' is not a valid value.`,
        );
      }
      if (inTransaction && (value === "available" || value === "linearizable")) {
        throw new MongoError(
          "InvalidOptions",
          "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
        );
      }
      if (value === "snapshot" && !inTransaction) {
        throw new MongoError(
          "InvalidOptions",
          "read concern snapshot is supported only in transactions by this server",
        );
      }
    } else if (name !== "afterClusterTime" && name !== "provenance") {
      throw new MongoError(
        name === "atClusterTime" ? "InvalidOptions" : 40415,
        name === "atClusterTime"
          ? "readConcern.atClusterTime is not supported by this server"
          : `BSON field 'readConcern.${name}' is an unknown field.`,
      );
    }
  }
}

/**
 * The `writeConcernError` of the reply, if one member cannot meet the write concern. Every write is
 * on disk before its reply, so all concerns of one member are met. A concern of more members is
 * never met; as in MongoDB, the write is still done.
 */
export function unmetWriteConcern(body: CommandBody): Document | undefined {
  const writeConcern = body.document("writeConcern") ?? {};
  for (const name of Object.keys(writeConcern)) {
    if (!["w", "j", "fsync", "wtimeout", "provenance"].includes(name)) {
      throw new MongoError(40415, `BSON field 'writeConcern.${name}' is an unknown field.`);
    }
  }
  const { w } = writeConcern;
  if (w === undefined || w === "majority" || w === 0 || w === 1) return undefined;
  return typeof w === "string"
    ? {
        code: 79,
        codeName: "UnknownReplWriteConcern",
        errmsg: `No write concern mode named '${w}' found in replica set configuration`,
      }
    : {
        code: 100,
        codeName: "UnsatisfiableWriteConcern",
        errmsg: "Not enough data-bearing nodes",
      };
}

const readPreferences = [
  "primary",
  "primaryPreferred",
  "secondary",
  "secondaryPreferred",
  "nearest",
];

function checkReadPreference(readPreference: Document): void {
  if (!readPreferences.includes(String(readPreference["mode"]))) {
    throw new MongoError(
      "FailedToParse",
      `Could not parse $readPreference mode '${String(readPreference["mode"])}'`,
    );
  }
}
