import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { isOpen } from "../../domain/invoice/status.ts";
import type { CreditHolder } from "../../store/credits.ts";
import { applyCredit } from "../../workflows/apply-credit.ts";

/** The events after which an invoice can be newly open. A part payment opens a draft. */
const openingEvents: readonly string[] = [
  "invoice.created",
  "invoice.updated",
  "invoice.partially_paid",
];

/** Pays an open invoice with the credit of its customer. */
export const onInvoice =
  (deps: Deps): EventHandler<"invoice.*"> =>
  async (events) => {
    const holders = new Map<string, CreditHolder>();
    for (const { type, businessid, data } of events) {
      if (!openingEvents.includes(type) || !isOpen(data.status) || data.balance === 0) continue;
      const customerid = data.customer._id;
      holders.set(`${businessid} ${customerid}`, { businessid, customerid });
    }
    if (holders.size === 0) return [];
    const cause = { now: deps.service.clock() };
    for (const holder of await deps.credits.filterHolders([...holders.values()])) {
      await applyCredit(deps, holder, cause);
    }
    return [];
  };
