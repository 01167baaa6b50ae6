import type { routes } from "@malipo/contracts";
import { err, type Fault, fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { carryOut } from "../../workflows/apply-decision.ts";
import { assign, giveUp } from "../../domain/transaction/decide.ts";
import type { Deps } from "../../deps.ts";
import { type SuspenseEntry, viewSuspense } from "../../domain/suspense.ts";

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
    // Money is taken before it is counted: who finds it taken must not count it again.
    const takenfor = await suspense.take(entry.id, assignedto);
    if (takenfor !== null) return err(conflict(`Suspense entry is taken for ${takenfor}`));
    const refusal = assignedto === null ? null : await count(deps, entry, assignedto);
    if (refusal) {
      await suspense.giveBack(entry.id, assignedto);
      return err(refusal);
    }
    // The money it waited for is somebody else's: so it was never paid.
    if (assignedto !== entry.transactionid) {
      await carryOut(deps, entry.transactionid, (transaction, now) =>
        transaction.suspended ? giveUp({ ...transaction, suspended: false }, now) : null,
      );
    }
    const status = assignedto === null ? "closed" : "assigned";
    const note = body.note ?? null;
    // False where the same was asked for twice at once, and the other has closed it.
    await suspense.close(entry.id, { status, assignedto, note });
    return ok({ data: viewSuspense({ ...entry, status, assignedto, note }) });
  };

/** Why its money is surely not counted for this transaction; null when it is, now or from before. */
async function count(deps: Deps, entry: SuspenseEntry, id: string): Promise<Fault | null> {
  let isOfAnother = false;
  const carried = await carryOut(deps, id, (transaction, now, receipttaken) => {
    isOfAnother = receipttaken;
    return receipttaken ? null : assign(transaction, entry, now);
  });
  if (!carried) return notFound("transaction");
  if (carried.transaction.assigned === entry.id) return null;
  if (isOfAnother) return conflict("Its receipt number belongs to another transaction");
  return conflict(`Transaction is ${carried.transaction.state}; money of its own came with it`);
}

const conflict = (text: string) => fault("conflict", { text });
