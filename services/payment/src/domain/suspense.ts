import type { SuspenseView } from "@malipo/contracts";
import { type Cents, centsToShillings } from "@malipo/core";
import type { UnmatchedPayment } from "./transaction/decide.ts";
import type { ReportedPayment } from "./transaction/outcome.ts";

/** Money that came and matches no transaction, until a person assigns or closes it. */
export interface SuspenseEntry {
  readonly id: string;
  readonly kind: UnmatchedPayment["kind"];
  readonly businessid: string | null;
  readonly transactionid: string;
  readonly amount: Cents | null;
  readonly momoreceiptnumber: string | null;
  readonly checkoutrequestid: string;
  readonly status: "open" | "assigned" | "closed";
  readonly assignedto: string | null;
  readonly note: string | null;
  readonly createdat: Date;
}

/** Repeated reports of the same money get the same key, so they make one entry. */
export function suspenseKey(transactionid: string, callback: ReportedPayment): string {
  return `${transactionid}:${callback.receiptnumber ?? callback.checkoutrequestid}`;
}

export function viewSuspense(entry: SuspenseEntry): SuspenseView {
  const { id, amount, createdat, ...rest } = entry;
  return {
    _id: id,
    ...rest,
    amount: amount === null ? null : centsToShillings(amount),
    createdat: createdat.toISOString(),
  };
}
