import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addMs, err, ok, type Result, secondMs } from "@malipo/core";
import { type Cipher, isDuplicateKey, type Service } from "@malipo/platform";
import { openSealed, seal, type SealedDocument } from "../../store/sealed.ts";
import type { ProviderAccount } from "../provider.ts";

/** A token is given up this long before it ends: it must outlive the request that carries it. */
const headroomMs = 60 * secondMs;
/** How long one worker may be about fetching; then another may try. */
const fetchingMs = 10 * secondMs;
const lookEveryMs = 50;
const waitingMaxMs = 12 * secondMs;

export interface FreshToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

interface Token {
  readonly token: string;
  readonly until: Date;
}

interface TokenDocument extends SealedDocument {
  readonly _id: string;
  readonly until?: Date;
  readonly fetchinguntil: Date;
}

/** Nothing was asked yet when this is what went wrong. */
export type TokenProblem =
  | { readonly kind: "refused"; readonly details: string }
  | { readonly kind: "not sent"; readonly details: string };

export type FetchToken = (account: ProviderAccount) => Promise<Result<FreshToken, TokenProblem>>;

type TokenAnswer = Result<string, TokenProblem>;

export interface Tokens {
  /** The account's token; never the one that the provider has just refused. */
  get(account: ProviderAccount, refused?: string): Promise<TokenAnswer>;
}

/**
 * One token for all workers, as each new one ends those before it: kept sealed in the store, and
 * fetched by whoever holds the right to, while the others wait for it.
 */
export function openTokens(
  service: Pick<Service, "store" | "clock">,
  cipher: Cipher,
  fetchToken: FetchToken,
): Tokens {
  const { clock } = service;
  const kept = openKeptTokens(service, cipher);
  const known = new Map<string, Token>();
  const underway = new Map<string, Promise<TokenAnswer>>();

  const isGood = (token: Token | undefined, refused: string | undefined): token is Token =>
    token !== undefined && token.token !== refused && token.until > addMs(clock(), headroomMs);

  async function fetchAndKeep(id: string, account: ProviderAccount): Promise<TokenAnswer> {
    const fetched = await fetchToken(account);
    if (!fetched.ok) {
      await kept.giveUp(id);
      return fetched;
    }
    const token = { token: fetched.value.token, until: addMs(clock(), fetched.value.lifetimeMs) };
    await kept.keep(id, token);
    known.set(id, token);
    return ok(token.token);
  }

  async function find(
    id: string,
    account: ProviderAccount,
    refused: string | undefined,
  ): Promise<TokenAnswer> {
    const giveUpAt = performance.now() + waitingMaxMs;
    const findKept = async () => {
      const token = await kept.find(id);
      if (!isGood(token, refused)) return undefined;
      known.set(id, token);
      return ok(token.token);
    };
    for (;;) {
      const found = await findKept();
      if (found) return found;
      if (await kept.mayFetch(id)) {
        // Another may have fetched one since we looked, and a newer one would end it.
        const fetched = await findKept();
        if (!fetched) return fetchAndKeep(id, account);
        await kept.giveUp(id);
        return fetched;
      }
      if (performance.now() > giveUpAt)
        return err({ kind: "not sent", details: "no token in time" });
      await sleep(lookEveryMs);
    }
  }

  return {
    get: async (account, refused) => {
      // Who was refused with one token must not wait for others to be given the same.
      const id = keyOf(account);
      const mine = known.get(id);
      if (isGood(mine, refused)) return ok(mine.token);
      const flight = `${id} ${refused ?? ""}`;
      const running = underway.get(flight) ?? find(id, account, refused);
      underway.set(flight, running);
      return running.finally(() => underway.delete(flight));
    },
  };
}

function openKeptTokens({ store, clock }: Pick<Service, "store" | "clock">, cipher: Cipher) {
  const collection = store.db.collection<TokenDocument>("providertokens");
  return {
    async find(_id: string): Promise<Token | undefined> {
      const found = await collection.findOne({ _id });
      if (!found?.sealed || !found.until) return undefined;
      // One that nobody can open any more is fetched anew.
      const text = openSealed(cipher, found.sealed, _id);
      return text && { token: Buffer.from(text).toString(), until: found.until };
    },
    async keep(_id: string, { token, until }: Token) {
      const fields = { ...seal(cipher, Buffer.from(token), _id), until, fetchinguntil: clock() };
      await collection.updateOne({ _id }, { $set: fields });
    },
    async giveUp(_id: string) {
      await collection.updateOne({ _id }, { $set: { fetchinguntil: clock() } });
    },
    /** One at a time; who does not come back makes room for another. */
    async mayFetch(_id: string): Promise<boolean> {
      const now = clock();
      const $set = { fetchinguntil: addMs(now, fetchingMs) };
      try {
        await collection.updateOne(
          { _id, fetchinguntil: { $lte: now } },
          { $set },
          { upsert: true },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

/** Says nothing of the key, and another secret is another account. */
function keyOf({ consumerkey, consumersecret }: ProviderAccount): string {
  return createHash("sha256").update(`${consumerkey}\n${consumersecret}`).digest("base64url");
}
