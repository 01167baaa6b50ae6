import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { issueInvoices } from "../../workflows/issue-invoices.ts";

export const onSubscriptionBilled =
  (deps: Deps): EventHandler<"subscription.billed"> =>
  async (events) => {
    const now = deps.service.clock();
    const issued = await issueInvoices(
      deps,
      events.map(({ businessid, data, at, traceparent }) => ({
        businessid,
        billing: data,
        issuedat: new Date(at),
        cause: { now, traceparent },
      })),
    );
    return events.flatMap(({ id }, index) => {
      const outcome = issued[index];
      return outcome && !outcome.ok ? [{ event: id, reason: outcome.error.text }] : [];
    });
  };
