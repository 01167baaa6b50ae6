import type { SuspenseView } from "@malipo/contracts";
import { type Cents, formatShillings } from "@malipo/core";
import type { Misfit } from "./transaction/decide.ts";
import type { CallbackFacts } from "./transaction/transaction.ts";

/** Money that came and matches nothing, until a person has decided. */
export interface SuspenseEntry {
  readonly id: string;
  readonly kind: Misfit["kind"];
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

/** The same money is the same entry, however often it is told of. */
export function suspenseKey(transactionid: string, callback: CallbackFacts): string {
  return `${transactionid}:${callback.receiptnumber ?? callback.checkoutrequestid}`;
}

export function viewSuspense(entry: SuspenseEntry): SuspenseView {
  const { id, amount, createdat, ...rest } = entry;
  return {
    _id: id,
    ...rest,
    amount: amount === null ? null : formatShillings(amount),
    createdat: createdat.toISOString(),
  };
}
