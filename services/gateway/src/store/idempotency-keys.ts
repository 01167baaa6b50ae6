import {
  type Cipher,
  ensureIndexes,
  batchInserts,
  newId,
  type Service,
  type StartContext,
} from "@malipo/platform";
import {
  type KeyRecord,
  type KeyState,
  newKeyRecord,
  type KeyAttempt,
  stateOfKey,
} from "../domain/idempotency.ts";
import {
  openAnswer,
  openIdempotencyAnswers,
  type SealedAnswer,
  type StoredAnswer,
} from "./idempotency-answers.ts";

const claimTriesMax = 5;

/** Earlier releases stored the answer in the key's document, so it may be here. */
interface KeyDocument extends SealedAnswer {
  readonly _id: string;
  readonly operationid: string;
  readonly fingerprint: string;
  /** The stored name of `attemptid`. */
  readonly owner: string;
  readonly leaseuntil: Date;
  readonly expiresat: Date;
}

export type ClaimResult =
  | { readonly kind: "claimed"; readonly attempt: KeyAttempt }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  | Extract<KeyState, { kind: "running" | "mismatch" }>;

export interface IdempotencyKeys {
  /** Claims the key for one attempt, or says why this request must not be executed. */
  claim(id: string, fingerprint: string, deadline: Date): Promise<ClaimResult>;
  /**
   * Stores the answer and returns it. If another attempt has taken the key over: that attempt's
   * answer, or "running".
   */
  storeAnswer(attempt: KeyAttempt, answer: StoredAnswer): Promise<StoredAnswer | "running">;
  /** Deletes the key, as if it had never been used. */
  free(attempt: KeyAttempt): Promise<void>;
  /** Ends the lease, so that the next attempt resumes at once under the same operation id. */
  endLease(attempt: KeyAttempt): Promise<void>;
}

export async function openIdempotencyKeys(
  { store, clock, ...starting }: Pick<Service, "store" | "clock"> & StartContext,
  cipher: Cipher,
): Promise<IdempotencyKeys> {
  const collection = store.db.collection<KeyDocument>("idempotencykeys");
  await ensureIndexes(starting, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);
  const insertBatched = batchInserts(collection);
  const answers = await openIdempotencyAnswers({ store, ...starting }, cipher);

  async function answerOf(document: KeyDocument): Promise<StoredAnswer | undefined> {
    return openAnswer(cipher, document._id, document) ?? answers.find(keyOf(document));
  }

  /** The new owner of the key; undefined if another request was faster. */
  async function takeOver(
    existing: KeyRecord,
    fresh: KeyRecord,
    isExpired: boolean,
  ): Promise<KeyAttempt | undefined> {
    // From here on the previous attempt can no longer store an answer.
    if ((await answers.close(existing)) && !isExpired) return undefined;
    const { id: _id, attemptid: owner, leaseuntil, expiresat } = existing;
    const taken = isExpired
      ? await collection.replaceOne({ _id, owner, expiresat }, fieldsOf(fresh))
      : await collection.updateOne(
          { _id, owner, leaseuntil },
          { $set: { owner: fresh.attemptid, leaseuntil: fresh.leaseuntil } },
        );
    if (taken.matchedCount === 0) return undefined;
    return isExpired ? fresh : { ...existing, attemptid: fresh.attemptid };
  }

  return {
    async claim(id, fingerprint, deadline) {
      for (let tries = 0; tries < claimTriesMax; tries += 1) {
        const now = clock();
        const ids = { id, fingerprint, operationid: newId(), attemptid: newId() };
        const fresh = newKeyRecord(ids, deadline, now);
        if (await insertBatched({ _id: id, ...fieldsOf(fresh) })) {
          return { kind: "claimed", attempt: fresh };
        }
        const document = await collection.findOne({ _id: id });
        if (!document) continue;
        const existing = keyOf(document);
        const state = stateOfKey(existing, fingerprint, clock());
        if (state.kind === "mismatch") return state;
        const answer = state.kind === "expired" ? undefined : await answerOf(document);
        if (answer) return { kind: "answered", answer };
        if (state.kind === "running") return state;
        const attempt = await takeOver(existing, fresh, state.kind === "expired");
        if (attempt) return { kind: "claimed", attempt };
      }
      return { kind: "running", retryAfterSeconds: 1 };
    },

    async storeAnswer(attempt, answer) {
      if (await answers.insert(attempt, answer)) return answer;
      const document = await collection.findOne({ _id: attempt.id });
      return (document && (await answerOf(document))) ?? "running";
    },

    async free({ id, attemptid }) {
      await collection.deleteOne({ _id: id, owner: attemptid });
    },

    async endLease({ id, attemptid }) {
      await collection.updateOne({ _id: id, owner: attemptid }, { $set: { leaseuntil: clock() } });
    },
  };
}

function fieldsOf({ attemptid, ...key }: KeyRecord): Omit<KeyDocument, "_id"> {
  const { operationid, fingerprint, leaseuntil, expiresat } = key;
  return { operationid, fingerprint, owner: attemptid, leaseuntil, expiresat };
}

function keyOf({ _id: id, owner: attemptid, ...document }: KeyDocument): KeyRecord {
  const { operationid, fingerprint, leaseuntil, expiresat } = document;
  return { id, attemptid, operationid, fingerprint, leaseuntil, expiresat };
}
