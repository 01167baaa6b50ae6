import { addMs } from "@malipo/core";
import { nextQueryAt, waits } from "./schedule.ts";
import type { Transaction } from "./transaction.ts";

/** When time alone may decide something of a transaction that cannot be asked about. */
export function nextLook(transaction: Transaction): Date | null {
  const { state, savedat, calledat, early, suspended, updatedat, queries } = transaction;
  if (suspended) return null;
  switch (state) {
    case "saved":
      return addMs(savedat, waits.savedMs);
    case "calling":
      return addMs(calledat ?? updatedat, early.length > 0 ? waits.callMs : waits.unresolvedMs);
    case "prompted":
      return nextQueryAt(updatedat, queries);
    default:
      return null;
  }
}
