import type { RequestOutcome } from "@malipo/contracts";
import { err, type Fault, fault, type Result, secondMs } from "@malipo/core";
import { isStoreAway, presentTrace, VersionConflict } from "@malipo/platform";
import { accept, loseAnswer } from "../domain/transaction/answers.ts";
import { carryOut, type Decide } from "./apply-decision.ts";
import { call, refuse, unsent } from "../domain/transaction/decide.ts";
import type { Deps } from "../deps.ts";
import { answerFor, unknownOutcome } from "../domain/transaction/views.ts";
import type { PromptAnswer, ProviderAccount } from "../providers/provider.ts";
import { subjectOf, type Transaction } from "../domain/transaction/transaction.ts";
import { afterSilentSave, type SavedTransaction } from "../store/transactions.ts";

const providerPatienceMs = 25 * secondMs;
/** What it takes to write down and to pass on what the provider has answered. */
const afterwardsMs = 2 * secondMs;

/**
 * Calls the provider once, at once, if nobody has: whoever saves "calling" is the one to call.
 * Everybody else, later too, is answered from what the transaction has become.
 */
export async function prompt(
  deps: Deps,
  found: SavedTransaction,
  account: ProviderAccount,
  deadline: Date,
): Promise<Result<RequestOutcome, Fault>> {
  const { transactions, service } = deps;
  const { id } = found.entity;
  const calling = call(found.entity, service.clock());
  if (!calling) return answerFor(found.entity);
  try {
    await transactions.save(found, calling, { now: service.clock() });
  } catch (error) {
    if (!(error instanceof VersionConflict)) throw error;
    const winner = await transactions.get(id);
    return answerFor(winner?.entity ?? found.entity);
  }
  return callProvider(deps, afterSilentSave(found, calling.entity), account, deadline);
}

/** For whoever has saved "calling", and only then. */
export async function callProvider(
  deps: Deps,
  called: SavedTransaction,
  account: ProviderAccount,
  deadline: Date,
): Promise<Result<RequestOutcome, Fault>> {
  const answer = await askProvider(deps, called.entity, account, deadline);
  deps.metrics.prompts.inc({ answer: answer.kind });
  const written = writeDown(deps, called, answer);
  return withinTime(written, called.entity.id, deadline, deps.service.clock());
}

async function askProvider(
  { service, provider, callbackUrl }: Deps,
  { id, amount, phone, referenceid, title }: Transaction,
  account: ProviderAccount,
  deadline: Date,
): Promise<PromptAnswer> {
  // A process that stood still meanwhile must not prompt for somebody who has gone away.
  const leftMs = deadline.getTime() - service.clock().getTime() - afterwardsMs;
  if (leftMs <= 0) return { kind: "not sent", details: "no time was left" };
  const asked = {
    shillings: amount / 100,
    phone,
    callbackUrl: callbackUrl(id),
    reference: referenceid ?? title,
    description: title,
  };
  const span = service.tracer?.start({
    name: "prompt mpesa",
    kind: "client",
    parent: presentTrace(),
    attributes: { "malipo.transaction.id": id },
  });
  try {
    const answer = await provider.prompt(account, asked, Math.min(providerPatienceMs, leftMs));
    span?.end({ attributes: { "malipo.answer": answer.kind } });
    return answer;
  } catch (error) {
    span?.end({ problem: "an error of ours" });
    service.log.error({ err: error, transactionid: id }, "asking the provider failed");
    return { kind: "unknown", details: "an error of ours" };
  }
}

async function writeDown(
  deps: Deps,
  called: SavedTransaction,
  answer: PromptAnswer,
): Promise<Result<RequestOutcome, Fault>> {
  switch (answer.kind) {
    case "accepted":
      return answerFor(
        await writeSurely(deps, called, (now, at, taken) => accept(now, answer, at, taken)),
      );
    case "refused": {
      const { details } = answer;
      return answerFor(
        await writeSurely(
          deps,
          called,
          (now, at) => refuse(now, details, at) ?? loseAnswer(now, at),
        ),
      );
    }
    case "not sent": {
      const after = await writeSurely(
        deps,
        called,
        (now, at) => unsent(now, at) ?? loseAnswer(now, at),
      );
      // It came back by itself meanwhile: so it was sent after all.
      if (after.state !== "saved") return answerFor(after);
      await freeHolds(deps, called.entity);
      return err(fault("provider_unreachable", { details: answer.details }));
    }
    default: {
      const after = await writeSurely(deps, called, loseAnswer);
      return answerFor(after);
    }
  }
}

/** Nobody else knows what the provider said, so it is written down as soon as the store is back. */
async function writeSurely(
  deps: Deps,
  called: SavedTransaction,
  decide: Decide,
): Promise<Transaction> {
  const { store, shutdown } = deps.service;
  for (;;) {
    try {
      const written = await carryOut(deps, called.entity.id, decide, called);
      return written?.transaction ?? called.entity;
    } catch (error) {
      if (!isStoreAway(error) || shutdown.signal.aborted) throw error;
      await store.untilBack(shutdown.signal);
    }
  }
}

async function freeHolds({ phoneHolds, reservations, service }: Deps, transaction: Transaction) {
  await Promise.all([
    phoneHolds.release(transaction.phone, transaction.holder),
    ...subjectOf(transaction).map((subject) =>
      reservations.release(subject, { ...transaction, isPaid: false }),
    ),
  ]).catch((error: unknown) => service.log.warn({ err: error }, "hold not released"));
}

/** Its caller is told which transaction to look for, even if the store keeps us waiting. */
async function withinTime(
  work: Promise<Result<RequestOutcome, Fault>>,
  id: string,
  deadline: Date,
  now: Date,
): Promise<Result<RequestOutcome, Fault>> {
  const late = Promise.withResolvers<Result<RequestOutcome, Fault>>();
  const leftMs = deadline.getTime() - now.getTime() - secondMs / 2;
  const timer = setTimeout(() => late.resolve(err(unknownOutcome(id))), Math.max(0, leftMs));
  const settled = work.catch((error: unknown) => {
    if (isStoreAway(error)) return err(unknownOutcome(id, "not written down"));
    throw error;
  });
  try {
    return await Promise.race([settled, late.promise]);
  } finally {
    clearTimeout(timer);
    // Should it fail after all, the loop finds the transaction.
    settled.catch(() => undefined);
  }
}
