import type { EventHandler } from "@malipo/platform";
import type { CreditHolder } from "../../store/credits.ts";
import type { Deps } from "../../deps.ts";
import { settleCredit } from "../../workflows/apply-credit.ts";
import { isOpen } from "../../domain/invoice/status.ts";

/** By these an invoice may begin to ask for money; money that comes makes a draft do so. */
const beginnings: readonly string[] = [
  "invoice.created",
  "invoice.updated",
  "invoice.partially_paid",
];

/** An invoice that asks for money is paid with what credit its customer has. */
export const onInvoice =
  (deps: Deps): EventHandler<"invoice.*"> =>
  async (events) => {
    const holders = new Map<string, CreditHolder>();
    for (const { type, businessid, data } of events) {
      if (!beginnings.includes(type) || !isOpen(data.status) || data.balance === 0) continue;
      const customerid = data.customer._id;
      holders.set(`${businessid} ${customerid}`, { businessid, customerid });
    }
    if (holders.size === 0) return [];
    const cause = { now: deps.service.clock() };
    for (const holder of await deps.credits.holdersAmong([...holders.values()])) {
      await settleCredit(deps, holder, cause);
    }
    return [];
  };
