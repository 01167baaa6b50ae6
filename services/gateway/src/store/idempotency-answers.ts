import { addMs, hourMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  insertTogether,
  type Service,
  type Starting,
} from "@malipo/platform";
import { Binary } from "mongodb";

/** A key is looked at as long as it counts; what it holds must be there to the end. */
const outlivesKeyMs = hourMs;

export interface StoredAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** What can be answered: one attempt at the request of one key. */
export interface Attempt {
  /** Of the key. */
  readonly id: string;
  /** Of the attempt itself. */
  readonly owner: string;
  /** When the key is forgotten. */
  readonly expiresat: Date;
}

/** As it is kept; without either where there is none. */
export interface SealedAnswer {
  readonly status?: number;
  readonly body?: Binary;
}

interface AnswerDocument extends SealedAnswer {
  /** The attempt's: so it is answered once, or closed, whichever comes first. */
  readonly _id: string;
  readonly expiresat: Date;
}

export interface Answers {
  /** False when the attempt was closed before. */
  keep(attempt: Attempt, answer: StoredAnswer): Promise<boolean>;
  find(attempt: Attempt): Promise<StoredAnswer | undefined>;
  /** It cannot be answered from now on; the answer, if that was faster. */
  close(attempt: Attempt): Promise<StoredAnswer | undefined>;
}

/**
 * Answers are documents of their own, written once and one after the other. In the key's document
 * an answer would make it grow several times over, in the middle of all others.
 */
export async function openAnswers(
  { store, ...starting }: Pick<Service, "store"> & Starting,
  cipher: Cipher,
): Promise<Answers> {
  const collection = store.db.collection<AnswerDocument>("idempotencyanswers");
  await ensureIndexes(starting, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);
  const insert = insertTogether(collection);

  async function find({ id, owner }: Attempt): Promise<StoredAnswer | undefined> {
    const found = await collection.findOne({ _id: owner });
    return found ? unseal(cipher, id, found) : undefined;
  }

  return {
    find,
    keep: ({ id, owner, expiresat }, { status, body }) =>
      insert({
        _id: owner,
        expiresat: addMs(expiresat, outlivesKeyMs),
        status,
        body: new Binary(cipher.encrypt(body, id)),
      }),
    close: async (attempt) => {
      const { owner, expiresat } = attempt;
      const isClosed = await insert({ _id: owner, expiresat: addMs(expiresat, outlivesKeyMs) });
      return isClosed ? undefined : find(attempt);
    },
  };
}

export function unseal(
  cipher: Cipher,
  id: string,
  { status, body }: SealedAnswer,
): StoredAnswer | undefined {
  if (status === undefined || !body) return undefined;
  return { status, body: cipher.decrypt(body.value(), id) };
}
