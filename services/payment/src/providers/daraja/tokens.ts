import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addMs, err, ok, type Result, secondMs } from "@malipo/core";
import { type Cipher, isDuplicateKey, type Service } from "@malipo/platform";
import type { ProviderAccount } from "../../domain/payment-method.ts";
import { openSealed, seal, type SealedDocument } from "../../store/sealed.ts";

/** A token is replaced this long before it expires, because it must outlive the request it is used for. */
const headroomMs = 60 * secondMs;
/** The lease of the process that fetches a token. After that another process may fetch it. */
const fetchLeaseMs = 10 * secondMs;
const pollEveryMs = 50;
const waitTimeoutMs = 12 * secondMs;

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
  /** The end of the lease on fetching a token. */
  readonly fetchinguntil: Date;
}

/** A failure to get a token. The request that needed it was not sent. */
export type TokenProblem =
  | { readonly kind: "refused"; readonly details: string }
  | { readonly kind: "not sent"; readonly details: string };

export type FetchToken = (account: ProviderAccount) => Promise<Result<FreshToken, TokenProblem>>;

type TokenAnswer = Result<string, TokenProblem>;

export interface Tokens {
  /** The account's token, but never `refused`, the token that the provider has just refused. */
  get(account: ProviderAccount, refused?: string): Promise<TokenAnswer>;
}

/**
 * Shares one token among all processes, because each new token ends the ones before it. The token is
 * stored encrypted. The process that holds the lease fetches it; the others wait and read it.
 */
export function openTokens(
  service: Pick<Service, "store" | "clock">,
  cipher: Cipher,
  fetchToken: FetchToken,
): Tokens {
  const { clock } = service;
  const stored = openStoredTokens(service, cipher);
  const cache = new Map<string, Token>();
  const pending = new Map<string, Promise<TokenAnswer>>();

  const isUsable = (token: Token | undefined, refused: string | undefined): token is Token =>
    token !== undefined && token.token !== refused && token.until > addMs(clock(), headroomMs);

  async function fetchAndStore(id: string, account: ProviderAccount): Promise<TokenAnswer> {
    const fetched = await fetchToken(account);
    if (!fetched.ok) {
      await stored.endLease(id);
      return fetched;
    }
    const token = { token: fetched.value.token, until: addMs(clock(), fetched.value.lifetimeMs) };
    await stored.save(id, token);
    cache.set(id, token);
    return ok(token.token);
  }

  async function findOrFetch(
    id: string,
    account: ProviderAccount,
    refused: string | undefined,
  ): Promise<TokenAnswer> {
    const timeout = AbortSignal.timeout(waitTimeoutMs);
    const findStored = async () => {
      const token = await stored.find(id);
      if (!isUsable(token, refused)) return undefined;
      cache.set(id, token);
      return ok(token.token);
    };
    for (;;) {
      const found = await findStored();
      if (found) return found;
      if (await stored.tryLease(id)) {
        // Another process may have fetched one just now. A newer token would end it.
        const fetched = await findStored();
        if (!fetched) return fetchAndStore(id, account);
        await stored.endLease(id);
        return fetched;
      }
      if (timeout.aborted) return err({ kind: "not sent", details: "no token in time" });
      await sleep(pollEveryMs);
    }
  }

  return {
    get: async (account, refused) => {
      const id = tokenIdOf(account);
      const cached = cache.get(id);
      if (isUsable(cached, refused)) return ok(cached.token);
      // A caller whose token was refused must not join callers that may get the same token.
      const key = `${id} ${refused ?? ""}`;
      const running = pending.get(key) ?? findOrFetch(id, account, refused);
      pending.set(key, running);
      return running.finally(() => pending.delete(key));
    },
  };
}

function openStoredTokens({ store, clock }: Pick<Service, "store" | "clock">, cipher: Cipher) {
  const collection = store.db.collection<TokenDocument>("providertokens");
  return {
    async find(_id: string): Promise<Token | undefined> {
      const found = await collection.findOne({ _id });
      if (!found?.sealed || !found.until) return undefined;
      // If no key opens it any more, a new token is fetched.
      const text = openSealed(cipher, found.sealed, _id);
      return text && { token: Buffer.from(text).toString(), until: found.until };
    },
    async save(_id: string, { token, until }: Token) {
      const fields = { ...seal(cipher, Buffer.from(token), _id), until, fetchinguntil: clock() };
      await collection.updateOne({ _id }, { $set: fields });
    },
    async endLease(_id: string) {
      await collection.updateOne({ _id }, { $set: { fetchinguntil: clock() } });
    },
    /** True for one process at a time. A lease that is not ended expires. */
    async tryLease(_id: string): Promise<boolean> {
      const now = clock();
      const $set = { fetchinguntil: addMs(now, fetchLeaseMs) };
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

/** A hash, so that the id reveals no key. An account with another secret has another token. */
function tokenIdOf({ consumerkey, consumersecret }: ProviderAccount): string {
  return createHash("sha256").update(`${consumerkey}\n${consumersecret}`).digest("base64url");
}
