import type { CallbackMessage } from "@malipo/contracts";
import { addMs, dayMs, secondMs } from "@malipo/core";
import { type CallbackHandler, ensureIndexes, isDuplicateKey } from "@malipo/platform";
import { Binary, MongoBulkWriteError } from "mongodb";
import { hearCallback } from "../domain/transaction/callback.ts";
import { type CarriedOut, carryOut, setAside } from "./apply-decision.ts";
import { quietly } from "../domain/transaction/decide.ts";
import type { Deps } from "../deps.ts";
import { readCallback } from "../providers/daraja/translate.ts";
import { isKnownResult, paidCode } from "../providers/daraja/result-codes.ts";
import { isPending } from "../domain/transaction/transaction.ts";

const keptMs = 400 * dayMs;
/** Longer than any code; what callbacks say is anybody's. */
const loggedMax = 40;

interface RawCallback {
  readonly _id: string;
  readonly transactionid: string;
  readonly address: string;
  readonly at: Date;
  readonly expiresat: Date;
  readonly body: Binary;
}

/** Callbacks from the stream: kept as they came, then applied, harmlessly however often they come. */
export async function openCallbacks(deps: Deps): Promise<CallbackHandler> {
  const raws = deps.service.store.db.collection<RawCallback>("callbacks");
  await ensureIndexes(deps.service, raws, [
    { key: { expiresat: 1 }, expireAfterSeconds: 0 },
    { key: { transactionid: 1 } },
  ]);

  async function keep(messages: readonly CallbackMessage[]) {
    try {
      await raws.insertMany(messages.map(rawOf), { ordered: false });
    } catch (error) {
      // Those that came before are there already.
      if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    }
  }

  return async (messages) => {
    await keep(messages);
    const byTransaction = Map.groupBy(messages, ({ transactionid }) => transactionid);
    await Promise.all(
      [...byTransaction.values()].map(async (ofOne) => {
        for (const message of ofOne) await apply(deps, message);
      }),
    );
    return [];
  };
}

function rawOf({ id, transactionid, address, at, body }: CallbackMessage): RawCallback {
  return {
    _id: id,
    transactionid,
    address,
    at: new Date(at),
    expiresat: addMs(new Date(at), keptMs),
    body: new Binary(Buffer.from(body, "base64")),
  };
}

async function apply(deps: Deps, { transactionid, address, body }: CallbackMessage) {
  const callback = readCallback(Buffer.from(body, "base64"));
  if (!callback) return askSoon(deps, transactionid);
  if (!isKnownResult(callback.code)) {
    const code = callback.code.slice(0, loggedMax);
    deps.service.log.warn({ transactionid, code }, "unknown result code");
  }
  const trusted = deps.isProvider(address);
  const heard = await carryOut(deps, transactionid, (transaction, now, receipttaken) =>
    hearCallback(transaction, callback, { trusted, receipttaken }, now),
  );
  if (callback.code !== paidCode) return;
  if (heard) return completeReceipt(deps, heard);
  const unknown = { id: transactionid, businessid: null };
  await setAside(deps, { kind: "unknown_request", callback }, unknown);
}

/** A payment that was known without its number has a receipt without it. */
async function completeReceipt({ receipts }: Deps, { transaction, decision }: CarriedOut) {
  const { id, state, momoreceiptnumber } = transaction;
  const isNews = decision !== null && decision.events.length > 0;
  if (state !== "completed" || momoreceiptnumber === null || isNews) return;
  await receipts.complete(id, momoreceiptnumber);
}

/** Somebody with our token said something that is no callback: then the provider is asked. */
async function askSoon(deps: Deps, transactionid: string) {
  await carryOut(deps, transactionid, (transaction, now) =>
    isPending(transaction) && transaction.state === "prompted" && !transaction.suspended
      ? quietly({ ...transaction, nextquery: addMs(now, secondMs) })
      : null,
  );
}
