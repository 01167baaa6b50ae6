import { VersionConflict } from "@malipo/platform";
import type { Decided, Decision, Misfit } from "../domain/transaction/decide.ts";
import type { Deps } from "../deps.ts";
import { tellPage } from "./live.ts";
import {
  isPending,
  statusOf,
  subjectOf,
  type Transaction,
} from "../domain/transaction/transaction.ts";
import type { SavedTransaction } from "../store/transactions.ts";

/** Somebody gets through in every round: this many lost in a row mean that something is wrong. */
const triesMax = 50;

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
  for (let tries = 1; ; tries += 1) {
    // What is known may be out of date: then the write does not fit, and it is read after all.
    const found = tries === 1 && known ? known : await transactions.get(id);
    if (!found) return null;
    const before = found.entity;
    const decision = await decideOn(deps, before, decide);
    if (!decision) return { transaction: before, decision };
    // Money is written down first: what is told of it twice is the same entry.
    for (const misfit of decision.misfits ?? []) await setAside(deps, misfit, before);
    try {
      // A decision may change nothing, and only say what is strange.
      if (decision.entity !== before) {
        await transactions.saveTogether(found, decision, { now: service.clock() });
      }
      await noteOutcome(deps, before, decision);
      return { transaction: decision.entity, decision };
    } catch (error) {
      if (!(error instanceof VersionConflict) || tries >= triesMax) throw error;
    }
  }
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
  if (entity.state === "completed") metrics.shillings.inc({}, entity.amount / 100);
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
