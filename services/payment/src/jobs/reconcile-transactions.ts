import { setTimeout as sleep } from "node:timers/promises";
import { addMs, minuteMs, secondMs } from "@malipo/core";
import { hearOfClaim, hearStatus, tick } from "../domain/transaction/answers.ts";
import { claimToCheck } from "../domain/transaction/callback.ts";
import { carryOut } from "../workflows/apply-decision.ts";
import { quietly } from "../domain/transaction/decide.ts";
import type { Deps } from "../deps.ts";
import { nextLook } from "../domain/transaction/next-look.ts";
import type { StatusAnswer } from "../providers/provider.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";
import type { Due } from "../store/transactions.ts";

const pauseMs = 500;
const batchMax = 100;
const atOnceMax = 20;
/** Longer than a query may take; a worker that dies leaves its share to others after that. */
const leaseMs = minuteMs;

/** Looks after what has no outcome yet, for as long as the service runs. Any number of workers may. */
export function startReconciling(deps: Deps): void {
  const { service } = deps;
  const { signal } = service.shutdown;
  const ended = (async () => {
    while (!signal.aborted) {
      const found = await reconcileOnce(deps).catch((error: unknown) => {
        service.log.warn({ err: error }, "reconciling starts again");
        return 0;
      });
      if (found < batchMax) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  service.shutdown.on("work", () => ended);
}

/** One share of what is due; says how much was found. */
export async function reconcileOnce(deps: Deps): Promise<number> {
  const { transactions, service, metrics } = deps;
  const now = service.clock();
  const found = await transactions.due(now, batchMax);
  const [oldest] = found;
  const lateMs = oldest ? now.getTime() - oldest.nextquery.getTime() : 0;
  metrics.queryLagSeconds.value = lateMs / secondMs;
  const left = [...found];
  const work = async () => {
    for (let due = left.shift(); due; due = left.shift()) await lookAt(deps, due);
  };
  await Promise.all(Array.from({ length: atOnceMax }, work));
  return found.length;
}

/** One that fails is put off by its lease and stands in nobody's way. */
async function lookAt(deps: Deps, due: Due) {
  const { transactions, service } = deps;
  try {
    if (!(await transactions.claim(due, addMs(service.clock(), leaseMs)))) return;
    const ticked = await carryOut(deps, due.id, tick);
    if (!ticked || ticked.decision) return;
    const { transaction } = ticked;
    const claim = claimToCheck(transaction, service.clock());
    if (claim) {
      const answer = await ask(deps, transaction, claim.checkoutrequestid);
      await carryOut(deps, due.id, (present, now, receipttaken) =>
        hearOfClaim(present, claim, answer, now, receipttaken),
      );
      return;
    }
    const { checkoutrequestid } = transaction;
    if (checkoutrequestid === null || !isAskable(transaction)) {
      await carryOut(deps, due.id, (present) =>
        quietly({ ...present, nextquery: nextLook(present) }),
      );
      return;
    }
    const answer = await ask(deps, transaction, checkoutrequestid);
    await carryOut(deps, due.id, (present, now, receipttaken) =>
      hearStatus(present, answer, now, receipttaken),
    );
  } catch (error) {
    service.log.warn({ err: error, transactionid: due.id }, "looked at again later");
  }
}

function isAskable({ suspended, state }: Transaction): boolean {
  return !suspended && state !== "completed" && state !== "saved";
}

async function ask(
  { accounts, provider, service, metrics }: Deps,
  { id, settingsid }: Transaction,
  checkoutrequestid: string,
): Promise<StatusAnswer> {
  const account = await accounts.of(settingsid);
  if (!account) {
    service.log.error({ transactionid: id }, "the settings of a payment are not there");
    return { kind: "unanswered", details: "no settings" };
  }
  const answer = await provider.status(account, checkoutrequestid);
  metrics.queries.inc({ answer: answer.kind });
  return answer;
}
