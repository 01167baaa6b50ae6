import { type EventInside, calls } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import {
  callService,
  reconcileStep,
  startReconciliationCounters,
  type RouteHandler,
  type ReconciledEvent,
} from "@malipo/platform";
import type { Deps } from "../../deps.ts";

/** The value of the label `wanted` of the reconciliation metric. */
const wanted = "payment on an invoice";

/** Checks that completed payments of invoices stand on their invoices. The scheduler calls this. */
export const reconcilePayments = ({
  service,
  transactions: { collection },
}: Deps): RouteHandler<typeof calls.reconcilePayments> => {
  startReconciliationCounters(service, wanted);
  return async ({ body, cause: { now }, deadline }) => {
    const missingOf = async (published: readonly ReconciledEvent[]) =>
      findMissing(service, published, deadline);
    const compared = await reconcileStep(
      { service, collection, wanted, missingOf },
      { ...body, now },
    );
    return compared.ok ? ok({ data: compared.value }) : compared;
  };
};

/** Asks the invoice service which payments it lacks. Payments without an invoice are not its concern. */
async function findMissing(
  service: Deps["service"],
  published: readonly ReconciledEvent[],
  deadline: Date,
): Promise<Result<ReadonlySet<string>, Fault>> {
  const payments = published.flatMap(({ businessid, recordid, event }) => {
    const { invoiceid } = event.inside as EventInside<"payment.completed">;
    return invoiceid === null
      ? []
      : [{ eventid: event.id, businessid, invoiceid, transactionid: recordid }];
  });
  if (payments.length === 0) return ok(new Set());
  const answer = await callService(service, calls.findAppliedPayments, {
    body: { payments },
    deadline,
  });
  if (!answer.ok) return answer;
  const missing = payments.filter((_, index) => !answer.value.known[index]);
  return ok(new Set(missing.map(({ eventid }) => eventid)));
}
