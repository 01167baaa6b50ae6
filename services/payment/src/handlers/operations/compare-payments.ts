import { type EventInside, calls } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import {
  ask,
  compareStep,
  countComparedFromZero,
  type RouteHandler,
  type Told,
} from "@malipo/platform";
import type { Deps } from "../../deps.ts";

const wanted = "payment on an invoice";

export const comparePayments = ({
  service,
  transactions: { collection },
}: Deps): RouteHandler<typeof calls.comparePayments> => {
  countComparedFromZero(service, wanted);
  return async ({ body, cause: { now }, deadline }) => {
    const missingOf = async (told: readonly Told[]) => missingOn(service, told, deadline);
    const compared = await compareStep(
      { service, collection, wanted, missingOf },
      { ...body, now },
    );
    return compared.ok ? ok({ data: compared.value }) : compared;
  };
};

/** What was not paid for an invoice, nobody else has to know. */
async function missingOn(
  service: Deps["service"],
  told: readonly Told[],
  deadline: Date,
): Promise<Result<ReadonlySet<string>, Fault>> {
  const payments = told.flatMap(({ businessid, recordid, event }) => {
    const { invoiceid } = event.inside as EventInside<"payment.completed">;
    return invoiceid === null
      ? []
      : [{ eventid: event.id, businessid, invoiceid, transactionid: recordid }];
  });
  if (payments.length === 0) return ok(new Set());
  const asked = await ask(service, calls.findPayments, { body: { payments }, deadline });
  if (!asked.ok) return asked;
  const missing = payments.filter((_, index) => !asked.value.known[index]);
  return ok(new Set(missing.map(({ eventid }) => eventid)));
}
