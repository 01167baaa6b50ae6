import type { EventOf } from "@malipo/contracts";
import { type Cents, ok, parseShillings } from "@malipo/core";
import type { Cause, EventHandler, HandlerFailure } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { release, reserve } from "../../domain/invoice/pay-invoice.ts";
import { applyCredit } from "../../workflows/apply-credit.ts";
import { applyPayment } from "../../workflows/apply-payment.ts";

type PaymentEvent = EventOf<"payment.*">;

/** Ignores payments that are not for an invoice. The events of one invoice are applied in order. */
export const onPayment =
  (deps: Deps): EventHandler<"payment.*"> =>
  async (events) => {
    const forInvoices = events.filter(({ inside }) => inside.invoiceid !== null);
    const byInvoice = Map.groupBy(forInvoices, ({ inside }) => inside.invoiceid ?? "");
    const failed = await Promise.all(
      [...byInvoice].map(async ([invoiceid, ofInvoice]) => {
        const failures: HandlerFailure[] = [];
        for (const event of ofInvoice) {
          const reason = await applyEvent(deps, invoiceid, event);
          if (reason !== null) failures.push({ event: event.id, reason });
        }
        return failures;
      }),
    );
    return failed.flat();
  };

/** Answers why the event cannot be applied; null if it was. */
async function applyEvent(
  deps: Deps,
  invoiceid: string,
  event: PaymentEvent,
): Promise<string | null> {
  const { businessid, traceparent } = event;
  const { transactionid } = event.data;
  const cause: Cause = { now: deps.service.clock(), traceparent };
  const at = new Date(event.at);
  switch (event.type) {
    case "payment.initiated": {
      const prompt = { transactionid, amount: parseAmount(event), at };
      await deps.invoices.update(businessid, invoiceid, cause, (invoice) =>
        ok(reserve(invoice, prompt, cause.now)),
      );
      return null;
    }
    case "payment.failed":
      await deps.invoices.update(businessid, invoiceid, cause, (invoice) =>
        ok(release(invoice, transactionid)),
      );
      return null;
    case "payment.completed": {
      const { momoreceiptnumber } = event.data;
      const payment = {
        key: transactionid.toLowerCase(),
        amount: parseAmount(event),
        at,
        ...(momoreceiptnumber !== null && { momoreceiptnumber }),
      };
      const applied = await applyPayment(deps, businessid, invoiceid, payment, cause);
      if (!applied) return `no invoice ${invoiceid}`;
      if (applied.creditedTo) await applyCredit(deps, applied.creditedTo, cause);
      return null;
    }
    default:
      return event satisfies never;
  }
}

/** Throws for an invalid amount, so that the event becomes a dead letter that operators see. */
function parseAmount({ data }: PaymentEvent): Cents {
  const amount = parseShillings(data.amount);
  if (!amount.ok || amount.value <= 0) throw new Error(`${data.amount} is not a payment amount`);
  return amount.value;
}
