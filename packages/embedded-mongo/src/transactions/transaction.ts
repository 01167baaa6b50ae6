import type { Buffer } from "node:buffer";
import type { Document } from "../bson/values.ts";

/** What a transaction makes of one document. */
export type DocumentChange = {
  readonly db: string;
  readonly name: string;
  readonly rid: number;
  /** As the snapshot has it; undefined when the transaction inserted it. */
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
};

export type Creation =
  | {
      readonly kind: "collection";
      readonly db: string;
      readonly name: string;
      readonly options: Document;
    }
  | {
      readonly kind: "index";
      readonly db: string;
      readonly name: string;
      readonly specification: Document;
    };

export type Transaction = {
  readonly session: string;
  readonly number: bigint;
  readonly startedAt: number;
  /** How much of the undo log was written when the transaction began to read. */
  readonly snapshot: number;
  readonly changes: Map<string, DocumentChange>;
  readonly creations: Creation[];
  /** Keys of unique indexes that it has taken; nobody else may until it ends. */
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
