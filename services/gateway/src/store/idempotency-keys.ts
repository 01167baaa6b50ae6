import { addMs, dayMs, secondMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  insertTogether,
  newId,
  type Service,
  type Starting,
} from "@malipo/platform";
import {
  type Attempt,
  openAnswers,
  type SealedAnswer,
  type StoredAnswer,
  unseal,
} from "./idempotency-answers.ts";

const lifetimeMs = dayMs;
/** Attempts end by their deadline; only after that may another begin. */
const leaseAfterDeadlineMs = 2 * secondMs;
const claimTriesMax = 5;

/** One that an earlier release answered has its answer in itself. */
interface KeyDocument extends SealedAnswer {
  readonly _id: string;
  /** Travels with the request: whoever carries it out knows a repetition by it. */
  readonly operationid: string;
  readonly fingerprint: string;
  /** The attempt whose answer is the key's. */
  readonly owner: string;
  readonly leaseuntil: Date;
  readonly expiresat: Date;
}

/** The right to carry out a request under its key, until the lease ends. */
export interface Claim extends Attempt {
  readonly operationid: string;
}

export type Claiming =
  | { readonly kind: "claimed"; readonly claim: Claim }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  | { readonly kind: "running"; readonly retryAfterSeconds: number }
  | { readonly kind: "mismatch" };

export interface IdempotencyKeys {
  claim(id: string, fingerprint: string, deadline: Date): Promise<Claiming>;
  /** What the key holds from now on; another answer when the lease was lost meanwhile. */
  complete(claim: Claim, answer: StoredAnswer): Promise<StoredAnswer | "running">;
  /** As if the key had never been used. */
  release(claim: Claim): Promise<void>;
  /** Whoever comes next resumes at once, under the same operation. */
  abandon(claim: Claim): Promise<void>;
}

export async function openIdempotencyKeys(
  { store, clock, ...starting }: Pick<Service, "store" | "clock"> & Starting,
  cipher: Cipher,
): Promise<IdempotencyKeys> {
  const collection = store.db.collection<KeyDocument>("idempotencykeys");
  await ensureIndexes(starting, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);

  const insert = insertTogether(collection);
  const answers = await openAnswers({ store, ...starting }, cipher);

  async function answerOf(document: KeyDocument): Promise<StoredAnswer | undefined> {
    return unseal(cipher, document._id, document) ?? answers.find(claimOf(document));
  }

  /** The claim, or undefined when somebody else was faster. */
  async function takeOver(existing: KeyDocument, fresh: KeyDocument): Promise<Claim | undefined> {
    const { _id, owner, expiresat } = existing;
    const isExpired = expiresat <= clock();
    // Whoever held the key must not answer for it any more.
    if ((await answers.close(claimOf(existing))) && !isExpired) return undefined;
    const taken = isExpired
      ? await collection.replaceOne({ _id, owner, expiresat }, withoutId(fresh))
      : await collection.updateOne(
          { _id, owner, leaseuntil: existing.leaseuntil },
          { $set: { owner: fresh.owner, leaseuntil: fresh.leaseuntil } },
        );
    if (taken.matchedCount === 0) return undefined;
    return isExpired ? claimOf(fresh) : { ...claimOf(existing), owner: fresh.owner };
  }

  return {
    async claim(id, fingerprint, deadline) {
      for (let tries = 0; tries < claimTriesMax; tries += 1) {
        const fresh = newDocument(id, fingerprint, deadline, clock());
        if (await insert(fresh)) return { kind: "claimed", claim: claimOf(fresh) };
        const existing = await collection.findOne({ _id: id });
        if (!existing) continue;
        if (existing.expiresat > clock()) {
          if (existing.fingerprint !== fingerprint) return { kind: "mismatch" };
          const answer = await answerOf(existing);
          if (answer) return { kind: "answered", answer };
          const leftMs = existing.leaseuntil.getTime() - clock().getTime();
          if (leftMs > 0)
            return { kind: "running", retryAfterSeconds: Math.ceil(leftMs / secondMs) };
        }
        const claim = await takeOver(existing, fresh);
        if (claim) return { kind: "claimed", claim };
      }
      return { kind: "running", retryAfterSeconds: 1 };
    },

    async complete(claim, answer) {
      if (await answers.keep(claim, answer)) return answer;
      const holder = await collection.findOne({ _id: claim.id });
      return (holder && (await answerOf(holder))) ?? "running";
    },

    async release({ id, owner }) {
      await collection.deleteOne({ _id: id, owner });
    },

    async abandon({ id, owner }) {
      await collection.updateOne({ _id: id, owner }, { $set: { leaseuntil: clock() } });
    },
  };
}

function newDocument(id: string, fingerprint: string, deadline: Date, now: Date): KeyDocument {
  return {
    _id: id,
    operationid: newId(),
    fingerprint,
    owner: newId(),
    leaseuntil: addMs(deadline, leaseAfterDeadlineMs),
    expiresat: addMs(now, lifetimeMs),
  };
}

function claimOf({ _id: id, operationid, owner, expiresat }: KeyDocument): Claim {
  return { id, operationid, owner, expiresat };
}

function withoutId({ _id, ...fields }: KeyDocument): Omit<KeyDocument, "_id"> {
  return fields;
}
