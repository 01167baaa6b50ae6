import type { routes } from "@malipo/contracts";
import { err, fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { carryOut } from "../carry-out.ts";
import { assign, giveUp } from "../decide.ts";
import type { Deps } from "../deps.ts";
import { viewSuspense } from "../suspense.ts";

export const handle =
  (deps: Deps): RouteHandler<typeof routes.assignSuspense> =>
  async ({ params, body }) => {
    const { suspense } = deps;
    const entry = await suspense.find(params.id);
    if (!entry) return err(notFound("suspense entry"));
    const assignedto = body.transactionid?.toLowerCase() ?? null;
    const isRepeated = entry.status !== "open" && entry.assignedto === assignedto;
    if (isRepeated) return ok({ data: viewSuspense(entry) });
    if (entry.status !== "open") {
      return err(fault("conflict", { text: `Suspense entry is ${entry.status}` }));
    }
    if (assignedto !== null) {
      const carried = await carryOut(deps, assignedto, (transaction, now, receipttaken) =>
        assign(transaction, receipttaken ? { ...entry, momoreceiptnumber: null } : entry, now),
      );
      if (!carried) return err(notFound("transaction"));
      const isCounted = carried.transaction.assigned === entry.id;
      if (!isCounted) {
        const text = `Transaction is ${carried.transaction.state}; money of its own came with it`;
        return err(fault("conflict", { text }));
      }
    }
    // The money it waited for is somebody else's: so it was never paid.
    if (assignedto !== entry.transactionid) {
      await carryOut(deps, entry.transactionid, (transaction, now) =>
        transaction.suspended ? giveUp({ ...transaction, suspended: false }, now) : null,
      );
    }
    const status = assignedto === null ? "closed" : "assigned";
    const note = body.note ?? null;
    await suspense.close(entry.id, { status, assignedto, note });
    return ok({ data: viewSuspense({ ...entry, status, assignedto, note }) });
  };
