import { type LiveMessage, liveSubject } from "@malipo/contracts";
import { centsToShillings } from "@malipo/core";
import { updateRecord } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { allowancesOfVisitor, isCountedAgainstVisitor } from "../domain/prompt/prompt-allowance.ts";
import type { Decision, UnmatchedPayment } from "../domain/transaction/decide.ts";
import { isAskedByPage, isPending, type Transaction } from "../domain/transaction/transaction.ts";
import { publicStatus } from "../domain/transaction/views.ts";
import type { StoredTransaction } from "../store/transaction-document.ts";
import { releaseHolds } from "./prompt-holds.ts";

/** A decision of the domain. `isReceiptTaken`: its receipt number belongs to another transaction. */
export type Decide = (
  transaction: Transaction,
  now: Date,
  isReceiptTaken: boolean,
) => Decision | null;

export interface AppliedDecision {
  readonly transaction: Transaction;
  /** Null when nothing was decided. */
  readonly decision: Decision | null;
}

type ApplyDeps = Pick<
  Deps,
  | "service"
  | "metrics"
  | "transactions"
  | "phoneHolds"
  | "promptAllowances"
  | "reservations"
  | "momoReceipts"
  | "suspense"
>;

/**
 * Decides on a transaction as it is now, saves the decision once, and then does what follows from it.
 * Every change after the insert and the start of the call goes through this function.
 */
export async function applyDecision(
  deps: ApplyDeps,
  id: string,
  decide: Decide,
  known?: StoredTransaction,
): Promise<AppliedDecision | null> {
  const { service, transactions } = deps;
  const updated = await updateRecord<StoredTransaction, Decision>({
    // A known state may be out of date. Then the save conflicts, and the transaction is read after all.
    find: async (attempt) => (attempt === 1 && known ? known : transactions.get(id)),
    decide: async ({ entity }) => {
      const decision = await decideOn(deps, entity, decide);
      // Unmatched money is stored first. Storing it twice makes one entry.
      for (const payment of decision?.unmatched ?? []) await addToSuspense(deps, payment, entity);
      return decision;
    },
    save: async (found, decision) => {
      // A decision may report unmatched money or a surprise without changing the transaction.
      if (decision.entity === found.entity) return;
      await transactions.saveBatched(found, decision, { now: service.clock() });
    },
    onConflict: "retry",
  });
  if (!updated) return null;
  const { found, change: decision } = updated;
  if (decision) await followUp(deps, found.entity, decision);
  return { transaction: decision?.entity ?? found.entity, decision };
}

/** Claims a receipt number for the transaction before the transaction contains it. */
async function decideOn(
  { service, momoReceipts }: ApplyDeps,
  before: Transaction,
  decide: Decide,
): Promise<Decision | null> {
  const decision = decide(before, service.clock(), false);
  const number = decision?.entity.momoreceiptnumber ?? null;
  if (number === null || number === before.momoreceiptnumber) return decision;
  if (await momoReceipts.claim(number, before.id)) return decision;
  return decide(before, service.clock(), true);
}

/** Stores money that matches no transaction, for a person to assign. */
export async function addToSuspense(
  { suspense, service }: Pick<Deps, "suspense" | "service">,
  payment: UnmatchedPayment,
  transaction: { readonly id: string; readonly businessid: string | null },
): Promise<void> {
  if (await suspense.add(payment, transaction)) {
    service.log.error({ transactionid: transaction.id, kind: payment.kind }, "money in suspense");
  }
}

async function followUp(deps: ApplyDeps, before: Transaction, decision: Decision): Promise<void> {
  const { service, metrics } = deps;
  const { entity, surprise } = decision;
  if (surprise) {
    metrics.surprises.inc({ kind: surprise });
    const states = { from: before.state, to: entity.state };
    service.log.warn(
      { transactionid: entity.id, ...states, surprise },
      "provider contradicted itself",
    );
  }
  if (before.state === entity.state) return;
  notifyPage(service, entity);
  if (isPending(entity)) return;
  metrics.outcomes.inc({ outcome: publicStatus(entity.state) });
  if (entity.state === "completed") metrics.shillings.inc({}, centsToShillings(entity.amount));
  if (entity.reason === "unresolved") {
    metrics.unresolved.inc({});
    service.log.error({ transactionid: entity.id }, "payment unresolved");
  }
  await releaseHolds(deps, entity);
  await returnAllowance(deps, entity);
}

async function returnAllowance(
  { promptAllowances, service }: ApplyDeps,
  transaction: Transaction,
): Promise<void> {
  const { paymentlinkid, holder } = transaction;
  if (paymentlinkid === null || isCountedAgainstVisitor(transaction)) return;
  const allowances = allowancesOfVisitor(transaction, paymentlinkid);
  if (allowances.length === 0) return;
  await promptAllowances
    .giveBack(allowances, holder)
    .catch((error: unknown) => service.log.warn({ err: error }, "allowance not returned"));
}

/** Tells the open pay page, if there is one, that its payment has changed. */
function notifyPage({ wire, config }: Deps["service"], transaction: Transaction): void {
  if (!isAskedByPage(transaction)) return;
  const message: LiveMessage = { ended: !isPending(transaction) };
  wire.nats.publish(liveSubject(config.NAMESPACE, transaction.holder), JSON.stringify(message));
}
