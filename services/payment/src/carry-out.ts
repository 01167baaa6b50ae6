import { centsToShillings } from "@malipo/core";
import { updateRecord } from "@malipo/platform";
import type { Decided, Decision, Misfit } from "./decide.ts";
import type { Deps } from "./deps.ts";
import { tellPage } from "./live.ts";
import { isPending, statusOf, subjectOf, type Transaction } from "./transaction.ts";
import type { SavedTransaction } from "./transactions.ts";

/** Given what is known of its receipt number: whether it belongs to another transaction. */
export type Decide = (transaction: Transaction, now: Date, receipttaken: boolean) => Decided;

export interface CarriedOut {
  readonly transaction: Transaction;
  /** Null when nothing was to be decided. */
  readonly decision: Decision | null;
}

type CarryOutDeps = Pick<
  Deps,
  | "service"
  | "metrics"
  | "transactions"
  | "phoneHolds"
  | "reservations"
  | "momoReceipts"
  | "suspense"
>;

/** Decides on a transaction as it is now, and saves what was decided, once. */
export async function carryOut(
  deps: CarryOutDeps,
  id: string,
  decide: Decide,
  known?: SavedTransaction,
): Promise<CarriedOut | null> {
  const { service, transactions } = deps;
  const updated = await updateRecord<SavedTransaction, Decision>({
    // A known state may be out of date. Then the save conflicts, and the record is read after all.
    find: async (attempt) => (attempt === 1 && known ? known : transactions.get(id)),
    decide: async ({ entity }) => {
      const decision = await decideOn(deps, entity, decide);
      // Money in suspense is written first; writing it twice is the same entry.
      for (const misfit of decision?.misfits ?? []) await setAside(deps, misfit, entity);
      return decision;
    },
    save: async (found, decision) => {
      // A decision may report money in suspense and leave the transaction as it is.
      if (decision.entity === found.entity) return;
      await transactions.saveTogether(found, decision, { now: service.clock() });
    },
    onConflict: "retry",
  });
  if (!updated) return null;
  const { found, change: decision } = updated;
  if (decision) await noteOutcome(deps, found.entity, decision);
  return { transaction: decision?.entity ?? found.entity, decision };
}

/** A receipt number is made the transaction's own before the transaction says that it is. */
async function decideOn(
  { service, momoReceipts }: CarryOutDeps,
  before: Transaction,
  decide: Decide,
): Promise<Decided> {
  const decision = decide(before, service.clock(), false);
  const number = decision?.entity.momoreceiptnumber ?? null;
  if (number === null || number === before.momoreceiptnumber) return decision;
  if (await momoReceipts.claim(number, before.id)) return decision;
  return decide(before, service.clock(), true);
}

/** Money that fits nothing is a person's to assign. */
export async function setAside(
  { suspense, service }: Pick<Deps, "suspense" | "service">,
  misfit: Misfit,
  transaction: { readonly id: string; readonly businessid: string | null },
): Promise<void> {
  if (await suspense.add(misfit, transaction)) {
    service.log.error({ transactionid: transaction.id, kind: misfit.kind }, "money in suspense");
  }
}

async function noteOutcome(deps: CarryOutDeps, before: Transaction, decision: Decision) {
  const { service, metrics, phoneHolds, reservations } = deps;
  const { entity, surprise } = decision;
  if (surprise) {
    metrics.surprises.inc({ kind: surprise });
    service.log.warn({ transactionid: entity.id, from: before.state, to: entity.state }, surprise);
  }
  if (before.state === entity.state) return;
  tellPage(service, entity);
  if (isPending(entity)) return;
  metrics.outcomes.inc({ outcome: statusOf(entity.state) });
  if (entity.state === "completed") metrics.shillings.inc({}, centsToShillings(entity.amount));
  if (entity.reason === "unresolved") {
    metrics.unresolved.inc({});
    service.log.error({ transactionid: entity.id }, "payment unresolved");
  }
  // What is not released now ends by itself: it only keeps others waiting a little longer.
  await Promise.all([
    phoneHolds.release(entity.phone, entity.holder),
    ...subjectOf(entity).map((subject) =>
      reservations.release(subject, { ...entity, isPaid: entity.state === "completed" }),
    ),
  ]).catch((error: unknown) => service.log.warn({ err: error }, "hold not released"));
}
