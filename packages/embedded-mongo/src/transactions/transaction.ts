import type { Buffer } from "node:buffer";
import type { Creation } from "../storage/collections/creation.ts";

/** The change that a transaction makes to one document. */
export type DocumentChange = {
  readonly db: string;
  readonly name: string;
  readonly rid: number;
  /** The version in the snapshot; undefined if the transaction inserted the document. */
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
};

export type Transaction = {
  readonly session: string;
  readonly number: bigint;
  readonly startedAt: number;
  /** The position in the undo log when the transaction began. */
  readonly snapshot: number;
  readonly changes: Map<string, DocumentChange>;
  readonly creations: Creation[];
  /** Keys of unique indexes that the transaction has locked until it ends. */
  readonly keys: Set<string>;
  changedBytes: number;
  state: "open" | "committed" | "aborted";
};

export function uniqueKey(db: string, name: string, index: string, key: Buffer): string {
  return `${db}.${name}\0${index}\0${key.toString("latin1")}`;
}

export function documentKey(db: string, name: string, rid: number): string {
  return `${db}.${name}\0${rid}`;
}
