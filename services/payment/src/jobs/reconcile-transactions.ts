import { setTimeout as sleep } from "node:timers/promises";
import { addMs, minuteMs, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { applyStatusAnswer, confirmCallback, reevaluate } from "../domain/transaction/answers.ts";
import { unconfirmedCallback } from "../domain/transaction/callback.ts";
import { changeOnly } from "../domain/transaction/decide.ts";
import type { StatusAnswer } from "../domain/transaction/outcome.ts";
import { nextCheckAt, type Transaction } from "../domain/transaction/transaction.ts";
import type { DueTransaction } from "../store/transactions.ts";
import { applyDecision } from "../workflows/apply-decision.ts";

const pauseMs = 500;
const batchMax = 100;
const concurrency = 20;
/** Longer than a query can take. If this process dies, others check its transactions after that. */
const leaseMs = minuteMs;

/**
 * Checks transactions without an outcome, as long as the service runs: time may decide them, else the
 * provider is queried. Any number of processes may run it.
 */
export function startReconciliation(deps: Deps): void {
  const { service } = deps;
  const { signal } = service.shutdown;
  const ended = (async () => {
    while (!signal.aborted) {
      const found = await reconcileBatch(deps).catch((error: unknown) => {
        service.log.warn({ err: error }, "reconciliation failed; will retry");
        return 0;
      });
      if (found < batchMax) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  service.shutdown.on("work", () => ended);
}

/** Checks one batch of due transactions, and returns how many were found. */
export async function reconcileBatch(deps: Deps): Promise<number> {
  const { transactions, service, metrics } = deps;
  const now = service.clock();
  const found = await transactions.findDue(now, batchMax);
  const [oldest] = found;
  const lagMs = oldest ? now.getTime() - oldest.nextquery.getTime() : 0;
  metrics.queryLagSeconds.value = lagMs / secondMs;
  const left = [...found];
  const work = async () => {
    for (let due = left.shift(); due; due = left.shift()) await checkDue(deps, due);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return found.length;
}

/** Checks one transaction. If that fails, its lease postpones it, and it does not block the others. */
async function checkDue(deps: Deps, due: DueTransaction): Promise<void> {
  const { transactions, service } = deps;
  try {
    if (!(await transactions.lease(due, addMs(service.clock(), leaseMs)))) return;
    const applied = await applyDecision(deps, due.id, reevaluate);
    if (applied && !applied.decision) await queryProvider(deps, applied.transaction);
  } catch (error) {
    service.log.warn({ err: error, transactionid: due.id }, "transaction check failed; will retry");
  }
}

async function queryProvider(deps: Deps, transaction: Transaction): Promise<void> {
  const { id, checkoutrequestid, inSuspense, state } = transaction;
  const callback = unconfirmedCallback(transaction, deps.service.clock());
  if (callback) {
    const answer = await queryStatus(deps, transaction, callback.checkoutrequestid);
    await applyDecision(deps, id, (present, now, isReceiptTaken) =>
      confirmCallback(present, callback, answer, now, isReceiptTaken),
    );
    return;
  }
  const canQuery = !inSuspense && state !== "completed" && state !== "unsent";
  if (checkoutrequestid === null || !canQuery) {
    await applyDecision(deps, id, (present) =>
      changeOnly({ ...present, nextquery: nextCheckAt(present) }),
    );
    return;
  }
  const answer = await queryStatus(deps, transaction, checkoutrequestid);
  await applyDecision(deps, id, (present, now, isReceiptTaken) =>
    applyStatusAnswer(present, answer, now, isReceiptTaken),
  );
}

async function queryStatus(
  { accounts, provider, service, metrics }: Deps,
  { id, settingsid }: Transaction,
  checkoutrequestid: string,
): Promise<StatusAnswer> {
  const account = await accounts.forSettings(settingsid);
  if (!account) {
    service.log.error({ transactionid: id, settingsid }, "provider settings missing");
    return { kind: "unanswered", details: "no settings" };
  }
  const answer = await provider.status(account, checkoutrequestid);
  metrics.queries.inc({ answer: answer.kind });
  return answer;
}
