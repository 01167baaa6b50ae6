import type { QueryOf, routes } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { EventfulDocument } from "@malipo/platform";
import type { Filter } from "mongodb";
import { reversed, type State } from "../domain/transaction/transaction.ts";

type Query = QueryOf<typeof routes.listTransactions>;

const statesOf: Readonly<Record<NonNullable<Query["status"]>, readonly State[]>> = {
  pending: ["saved", "calling", "prompted"],
  completed: ["completed"],
  failed: ["failed"],
  cancelled: ["cancelled"],
};

/** What a list's query asks for, in the fields that transactions are saved with. */
export function filterOf(query: Query): Result<Filter<EventfulDocument>, Fault> {
  const { status, customerid, invoiceid, phone, from, to } = query;
  if (from && to && from > to) {
    const problem = "must not be after to";
    return err(
      fault("invalid_request", { text: `from ${problem}`, fields: [{ path: "from", problem }] }),
    );
  }
  return ok({
    ...(status && { state: { $in: statesOf[status] } }),
    ...(customerid !== undefined && { customerid: customerid.toLowerCase() }),
    ...(invoiceid !== undefined && { invoiceid: invoiceid.toLowerCase() }),
    ...(phone !== undefined && { phonetail: startingWith(reversed(phone)) }),
    ...((from || to) && { createdat: { ...(from && { $gte: from }), ...(to && { $lte: to }) } }),
  });
}

/** As a range, an index finds it. */
function startingWith(digits: string) {
  return { $gte: digits, $lt: `${digits}:` };
}
