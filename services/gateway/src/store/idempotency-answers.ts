import { addMs, hourMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  batchInserts,
  type Service,
  type StartContext,
} from "@malipo/platform";
import { Binary } from "mongodb";
import type { KeyAttempt } from "../domain/idempotency.ts";

/** The answer outlives its key, because it is read for as long as the key counts. */
const outlivesKeyMs = hourMs;

export interface StoredAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The answer as stored, its body encrypted. Both fields are missing if there is no answer. */
export interface SealedAnswer {
  readonly status?: number;
  readonly body?: Binary;
}

interface AnswerDocument extends SealedAnswer {
  /** The id of the attempt: the first insert decides whether it is answered or closed. */
  readonly _id: string;
  readonly expiresat: Date;
}

type Attempt = Pick<KeyAttempt, "id" | "attemptid" | "expiresat">;

export interface IdempotencyAnswers {
  /** False if the attempt was closed before. */
  insert(attempt: Attempt, answer: StoredAnswer): Promise<boolean>;
  find(attempt: Attempt): Promise<StoredAnswer | undefined>;
  /** Refuses an answer of this attempt from now on. Returns the answer if it came first. */
  close(attempt: Attempt): Promise<StoredAnswer | undefined>;
}

/**
 * Answers are documents of their own, written once and in sequence. Inside the key's document an
 * answer would make that document several times larger in the middle of its collection.
 */
export async function openIdempotencyAnswers(
  { store, ...starting }: Pick<Service, "store"> & StartContext,
  cipher: Cipher,
): Promise<IdempotencyAnswers> {
  const collection = store.db.collection<AnswerDocument>("idempotencyanswers");
  await ensureIndexes(starting, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);
  const insertBatched = batchInserts(collection);

  async function find({ id, attemptid }: Attempt): Promise<StoredAnswer | undefined> {
    const found = await collection.findOne({ _id: attemptid });
    return found ? openAnswer(cipher, id, found) : undefined;
  }

  return {
    find,
    insert: ({ id, attemptid, expiresat }, { status, body }) =>
      insertBatched({
        _id: attemptid,
        expiresat: addMs(expiresat, outlivesKeyMs),
        status,
        body: new Binary(cipher.encrypt(body, id)),
      }),
    close: async (attempt) => {
      const { attemptid, expiresat } = attempt;
      const isClosed = await insertBatched({
        _id: attemptid,
        expiresat: addMs(expiresat, outlivesKeyMs),
      });
      return isClosed ? undefined : find(attempt);
    },
  };
}

/** Decrypts an answer; the id of its key is bound to the ciphertext. */
export function openAnswer(
  cipher: Cipher,
  id: string,
  { status, body }: SealedAnswer,
): StoredAnswer | undefined {
  if (status === undefined || !body) return undefined;
  return { status, body: cipher.decrypt(body.value(), id) };
}
