import type { EventOf } from "@malipo/contracts";
import { type Cents, parseShillings } from "@malipo/core";
import type { Cause, EventHandler, Refusal } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { release, reserve } from "../../domain/invoice/pay-invoice.ts";
import { receivePayment } from "../../workflows/apply-credit.ts";

type PaymentEvent = EventOf<"payment.*">;

/** What is paid for something else than an invoice is not ours. Those of one invoice keep their order. */
export const onPayment =
  (deps: Deps): EventHandler<"payment.*"> =>
  async (events) => {
    const ours = events.filter(({ inside }) => inside.invoiceid !== null);
    const byInvoice = Map.groupBy(ours, ({ inside }) => inside.invoiceid ?? "");
    const refused = await Promise.all(
      [...byInvoice].map(async ([invoiceid, of]) => {
        const refusals: Refusal[] = [];
        for (const event of of) {
          const reason = await apply(deps, invoiceid, event);
          if (reason !== null) refusals.push({ event: event.id, reason });
        }
        return refusals;
      }),
    );
    return refused.flat();
  };

/** Null, or why it cannot be taken. */
async function apply(deps: Deps, invoiceid: string, event: PaymentEvent): Promise<string | null> {
  const { businessid, traceparent } = event;
  const { transactionid } = event.data;
  const cause: Cause = { now: deps.service.clock(), traceparent };
  const at = new Date(event.at);
  switch (event.type) {
    case "payment.initiated": {
      const prompt = { transactionid, amount: amountOf(event), at };
      await deps.invoices.amend(businessid, invoiceid, cause, (invoice) =>
        reserve(invoice, prompt, cause.now),
      );
      return null;
    }
    case "payment.failed":
      await deps.invoices.amend(businessid, invoiceid, cause, (invoice) =>
        release(invoice, transactionid),
      );
      return null;
    case "payment.completed": {
      const { momoreceiptnumber } = event.data;
      const payment = {
        key: transactionid.toLowerCase(),
        amount: amountOf(event),
        at,
        ...(momoreceiptnumber !== null && { momoreceiptnumber }),
      };
      const isThere = await receivePayment(deps, businessid, invoiceid, payment, cause);
      return isThere ? null : `no invoice ${invoiceid}`;
    }
    default:
      return event satisfies never;
  }
}

/** A bad amount is thrown, and so refused: it stays where somebody will see it. */
function amountOf({ data }: PaymentEvent): Cents {
  const amount = parseShillings(data.amount);
  if (!amount.ok || amount.value <= 0) throw new Error(`${data.amount} is no amount that is paid`);
  return amount.value;
}
