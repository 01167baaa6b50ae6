import type { routes } from "@malipo/contracts";
import { err, type Fault, fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { type SuspenseEntry, viewSuspense } from "../../domain/suspense.ts";
import { assignPayment, giveUp } from "../../domain/transaction/decide.ts";
import { applyDecision } from "../../workflows/apply-decision.ts";

/** Counts an entry's money for a transaction, or closes the entry when no transaction is given. */
export const assignSuspense =
  (deps: Deps): RouteHandler<typeof routes.assignSuspense> =>
  async ({ params, body }) => {
    const { suspense } = deps;
    const entry = await suspense.find(params.id);
    if (!entry) return err(notFound("suspense entry"));
    const assignedto = body.transactionid?.toLowerCase() ?? null;
    const isRepeated = entry.status !== "open" && entry.assignedto === assignedto;
    if (isRepeated) return ok({ data: viewSuspense(entry) });
    if (entry.status !== "open") return err(conflict(`Suspense entry is ${entry.status}`));
    // The entry is taken before its money is counted, so that it is counted for one transaction only.
    const takenFor = await suspense.take(entry.id, assignedto);
    if (takenFor !== null) return err(conflict(`Suspense entry is taken for ${takenFor}`));
    const refusal = assignedto === null ? null : await countMoney(deps, entry, assignedto);
    if (refusal) {
      await suspense.giveBack(entry.id, assignedto);
      return err(refusal);
    }
    if (assignedto !== entry.transactionid) await failSuspended(deps, entry.transactionid);
    const status = assignedto === null ? "closed" : "assigned";
    const note = body.note ?? null;
    // It may be closed already, by the same request sent twice at once.
    await suspense.close(entry.id, { status, assignedto, note });
    return ok({ data: viewSuspense({ ...entry, status, assignedto, note }) });
  };

/** The transaction waited for this money, which was not its own. So it was not paid. */
async function failSuspended(deps: Deps, transactionid: string): Promise<void> {
  await applyDecision(deps, transactionid, (transaction, now) =>
    transaction.inSuspense ? giveUp({ ...transaction, inSuspense: false }, now) : null,
  );
}

/** Null when the money counts for the transaction, now or since before. Else why it does not. */
async function countMoney(deps: Deps, entry: SuspenseEntry, id: string): Promise<Fault | null> {
  let isOfAnother = false;
  const applied = await applyDecision(deps, id, (transaction, now, isReceiptTaken) => {
    isOfAnother = isReceiptTaken;
    return isReceiptTaken ? null : assignPayment(transaction, entry, now);
  });
  if (!applied) return notFound("transaction");
  if (applied.transaction.assigned === entry.id) return null;
  if (isOfAnother) return conflict("Its receipt number belongs to another transaction");
  const { state } = applied.transaction;
  return conflict(`Transaction is ${state}; money of its own came with it`);
}

const conflict = (text: string) => fault("conflict", { text });
