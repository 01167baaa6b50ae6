import type { EventOf } from "@malipo/contracts";
import { cents } from "@malipo/core";
import { type EventHandler, secretCode } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import type { Receipt } from "../../domain/receipt.ts";

type Completed = EventOf<"payment.completed">;

/** One receipt for each completed payment, numbered; and links that take one payment only are paid. */
export const onPaymentCompleted =
  (deps: Deps): EventHandler<"payment.completed"> =>
  async (events) => {
    const known = await deps.receipts.existing(events.map(({ recordid }) => recordid));
    const fresh = new Map(
      events.filter(({ recordid }) => !known.has(recordid)).map((event) => [event.recordid, event]),
    );
    const ofBusinesses = Map.groupBy(fresh.values(), ({ businessid }) => businessid);
    await Promise.all([...ofBusinesses.values()].map((ofOne) => issue(deps, ofOne)));
    await Promise.all(events.map((event) => completeLater(deps, event)));
    await deps.links.markPaid(
      events.flatMap(({ inside, recordid }) =>
        inside.paymentlinkid === null ? [] : [{ id: inside.paymentlinkid, by: recordid }],
      ),
    );
    return [];
  };

/** Numbers are taken in one block; what a crash leaves unused stays a gap. */
async function issue({ numbering, codes, receipts }: Deps, events: readonly Completed[]) {
  const [first] = events;
  if (!first) return;
  const { businessid } = first;
  const numbers = await numbering.block(businessid, events.length);
  const kept = await codes.keep(
    events.map(({ recordid }) => ({ businessid, recordid, draw: secretCode })),
  );
  await receipts.insertMany(
    events.map((event, index) => ({
      entity: receiptOf(event, numbers[index] ?? "", kept[index] ?? ""),
      events: [],
      cause: { now: new Date(event.at) },
    })),
  );
}

function receiptOf(
  { recordid, businessid, data, inside, at }: Completed,
  no: string,
  code: string,
) {
  const receipt: Receipt = {
    id: recordid,
    businessid,
    receiptno: no,
    invoiceid: inside.invoiceid,
    amount: cents(Math.round(data.amount * 100)),
    phone: data.phone,
    momoreceiptnumber: data.momoreceiptnumber,
    code,
    createdat: new Date(at),
  };
  return receipt;
}

/** M-Pesa's number may have come while the receipt was being issued. */
async function completeLater({ transactions, receipts }: Deps, event: Completed) {
  if (event.data.momoreceiptnumber !== null) return;
  const found = await transactions.find(event.businessid, event.recordid);
  const number = found?.entity.momoreceiptnumber ?? null;
  if (number !== null) await receipts.complete(event.recordid, number);
}
