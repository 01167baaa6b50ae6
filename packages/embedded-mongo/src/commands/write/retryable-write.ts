import type { Buffer } from "node:buffer";
import type { Document } from "../../document-codec.ts";
import { DocumentBuilder } from "../../bson/document-builder.ts";
import { findField, sliceOf } from "../../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { numberOf } from "../../bson/number-of.ts";
import type { CommandBody } from "../command-body.ts";
import type { SessionRecords } from "../../storage/session-records.ts";

/** The outcome of one statement, from which a repeated statement is answered. */
export type StatementOutcome = {
  readonly n: number;
  readonly nModified?: number;
  readonly upserted?: { readonly id: unknown };
  /** The whole reply, for findAndModify. */
  readonly reply?: Buffer;
};

/**
 * A write that the client may send again. The outcome of each statement is stored in the same
 * commit as its data. A repeated statement is answered from that record.
 */
export class RetryableWrite {
  readonly number: bigint;
  private readonly sessionId: Buffer;
  private readonly outcomes: Map<number, StatementOutcome>;
  private isChanged = false;

  constructor(records: SessionRecords, sessionId: Buffer, number: bigint) {
    this.sessionId = sessionId;
    this.number = number;
    const last = records.find(sessionId);
    if (last !== undefined && last.number > number) {
      throw new MongoError(
        "TransactionTooOld",
        `Retryable write with txnNumber ${number} is prohibited on session because a newer ` +
          `retryable write with txnNumber ${last.number} has already started on this session.`,
      );
    }
    this.outcomes = new Map();
    if (last?.number === number) this.read(last.record);
  }

  outcome(statement: number): StatementOutcome | undefined {
    return this.outcomes.get(statement);
  }

  record(statement: number, outcome: StatementOutcome): void {
    this.outcomes.set(statement, outcome);
    this.isChanged = true;
  }

  save(records: SessionRecords): void {
    if (this.isChanged) records.save(this.sessionId, this.number, this.encoded());
  }

  private encoded(): Buffer {
    const [only, ...more] = this.outcomes;
    if (more.length === 0 && only?.[1].reply !== undefined) {
      return new DocumentBuilder().int("id", only[0]).document("reply", only[1].reply).build();
    }
    return encodeDocument(this.asDocument());
  }

  private asDocument(): Document {
    const inserted: number[] = [];
    const others: Document[] = [];
    for (const [id, outcome] of this.outcomes) {
      if (isPlainInsert(outcome)) addToRanges(inserted, id);
      else others.push({ id, ...outcome });
    }
    return { inserted, others };
  }

  private read(record: Buffer): void {
    const reply = findField(record, "reply");
    const document = decodeDocument(record);
    if (reply !== undefined) {
      this.outcomes.set(numberOf(document["id"]) ?? 0, { n: 1, reply: sliceOf(reply) });
      return;
    }
    if (document["transaction"] !== undefined) {
      throw new MongoError(
        217,
        `Cannot retry a retryable write that has been converted into a transaction: ${this.number}`,
      );
    }
    const ranges = (document["inserted"] as unknown[]).map((value) => numberOf(value) ?? 0);
    for (let i = 0; i < ranges.length; i += 2) {
      for (let id = ranges[i]!; id < ranges[i]! + ranges[i + 1]!; id++)
        this.outcomes.set(id, { n: 1 });
    }
    for (const { id, ...outcome } of document["others"] as Document[]) {
      this.outcomes.set(numberOf(id) ?? 0, outcome as unknown as StatementOutcome);
    }
  }
}

function isPlainInsert(outcome: StatementOutcome): boolean {
  return outcome.n === 1 && outcome.nModified === undefined && outcome.upserted === undefined;
}

/** `ranges` alternates the start and the length of each run of consecutive numbers. */
function addToRanges(ranges: number[], id: number): void {
  const last = ranges.length - 2;
  if (last >= 0 && id === ranges[last]! + ranges[last + 1]!) ranges[last + 1]! += 1;
  else ranges.push(id, 1);
}

/** Returns the function that gives the id of each statement. Repeated statements have equal ids. */
export function statementIdReader(body: CommandBody): (index: number) => number {
  const first = body.number("stmtId");
  if (first !== undefined) return (index) => first + index;
  const ids = body.value("stmtIds") as unknown[] | undefined;
  return ids === undefined ? (index) => index : (index) => numberOf(ids[index]) ?? index;
}
