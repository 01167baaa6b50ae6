import { randomUUID } from "node:crypto";
import { addMs, dayMs, secondMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  inGroups,
  insertTogether,
  newId,
  type Service,
  type Starting,
} from "@malipo/platform";
import { Binary, type Collection } from "mongodb";

const lifetimeMs = dayMs;
/** Attempts end by their deadline; only after that may another begin. */
const leaseAfterDeadlineMs = 2 * secondMs;
const claimTriesMax = 5;
const answersMax = 100;

interface KeyDocument {
  readonly _id: string;
  /** Travels with the request: whoever carries it out knows a repetition by it. */
  readonly operationid: string;
  readonly fingerprint: string;
  readonly owner: string;
  readonly leaseuntil: Date;
  readonly expiresat: Date;
  readonly status?: number;
  readonly body?: Binary;
}

interface StoredAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The right to carry out a request under its key, until the lease ends. */
export interface Claim {
  readonly id: string;
  readonly operationid: string;
  readonly owner: string;
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
  const markAnswered = answerTogether(collection);

  function answerOf({ _id, status, body }: KeyDocument): StoredAnswer | undefined {
    if (status === undefined || !body) return undefined;
    return { status, body: cipher.decrypt(body.value(), _id) };
  }

  /** The claim, or undefined when somebody else was faster. */
  async function takeOver(existing: KeyDocument, fresh: KeyDocument): Promise<Claim | undefined> {
    const { _id, owner, expiresat } = existing;
    const isExpired = expiresat <= clock();
    const taken = isExpired
      ? await collection.replaceOne({ _id, owner, expiresat }, withoutId(fresh))
      : await collection.updateOne(
          { _id, owner, leaseuntil: existing.leaseuntil },
          { $set: { owner: fresh.owner, leaseuntil: fresh.leaseuntil } },
        );
    if (taken.matchedCount === 0) return undefined;
    const { operationid } = isExpired ? fresh : existing;
    return { id: _id, operationid, owner: fresh.owner };
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
          const answer = answerOf(existing);
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

    async complete({ id, owner }, answer) {
      const { status } = answer;
      const body = new Binary(cipher.encrypt(answer.body, id));
      if (await markAnswered({ id, owner, status, body })) return answer;
      const holder = await collection.findOne({ _id: id });
      return (holder && answerOf(holder)) ?? "running";
    },

    async release({ id, owner }) {
      await collection.deleteOne({ _id: id, owner });
    },

    async abandon({ id, owner }) {
      await collection.updateOne({ _id: id, owner }, { $set: { leaseuntil: clock() } });
    },
  };
}

interface Answering {
  readonly id: string;
  readonly owner: string;
  readonly status: number;
  readonly body: Binary;
}

/** Answers that come together are one command; false for an owner that has lost the key meanwhile. */
function answerTogether(collection: Collection<KeyDocument>) {
  type Waiting = Answering & {
    readonly resolve: (isOwned: boolean) => void;
    readonly reject: (error: unknown) => void;
  };

  async function write(waiting: readonly Waiting[]): Promise<void> {
    try {
      const { matchedCount } = await collection.bulkWrite(
        waiting.map(({ id, owner, status, body }) => ({
          updateOne: { filter: { _id: id, owner }, update: { $set: { status, body } } },
        })),
        { ordered: false },
      );
      const isOwned =
        matchedCount === waiting.length ? () => true : await ownersAmong(collection, waiting);
      for (const one of waiting) one.resolve(isOwned(one));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  const ask = inGroups<Waiting>(answersMax, write);
  return (answering: Answering): Promise<boolean> =>
    new Promise((resolve, reject) => {
      ask({ ...answering, resolve, reject });
    });
}

async function ownersAmong(
  collection: Collection<KeyDocument>,
  claims: readonly Pick<Claim, "id" | "owner">[],
): Promise<(claim: Pick<Claim, "id" | "owner">) => boolean> {
  const found = await collection
    .find({ _id: { $in: claims.map(({ id }) => id) } })
    .project<{ _id: string; owner: string }>({ owner: 1 })
    .toArray();
  const owners = new Map(found.map(({ _id, owner }) => [_id, owner]));
  return ({ id, owner }) => owners.get(id) === owner;
}

function newDocument(id: string, fingerprint: string, deadline: Date, now: Date): KeyDocument {
  return {
    _id: id,
    operationid: newId(),
    fingerprint,
    owner: randomUUID(),
    leaseuntil: addMs(deadline, leaseAfterDeadlineMs),
    expiresat: addMs(now, lifetimeMs),
  };
}

function claimOf({ _id, operationid, owner }: KeyDocument): Claim {
  return { id: _id, operationid, owner };
}

function withoutId({ _id, ...fields }: KeyDocument): Omit<KeyDocument, "_id"> {
  return fields;
}
