import type { EventOf } from "@malipo/contracts";
import { shillingsToCents } from "@malipo/core";
import { type EventHandler, drawSecretCode } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import type { Receipt } from "../../domain/receipt.ts";
import { fillReceiptNumber } from "../../workflows/fill-receipt-number.ts";

type Completed = EventOf<"payment.completed">;

/** Issues one numbered receipt for each completed payment, and closes links that take one payment. */
export const onPaymentCompleted =
  (deps: Deps): EventHandler<"payment.completed"> =>
  async (events) => {
    const existing = await deps.receipts.findExistingIds(events.map(({ recordid }) => recordid));
    const missing = new Map(
      events
        .filter(({ recordid }) => !existing.has(recordid))
        .map((event) => [event.recordid, event]),
    );
    const byBusiness = Map.groupBy(missing.values(), ({ businessid }) => businessid);
    await Promise.all([...byBusiness.values()].map((ofOne) => issueReceipts(deps, ofOne)));
    await Promise.all(events.map((event) => fillLateNumber(deps, event)));
    await deps.links.markPaid(
      events.flatMap(({ inside, recordid }) =>
        inside.paymentlinkid === null ? [] : [{ id: inside.paymentlinkid, by: recordid }],
      ),
    );
    return [];
  };

/** Takes the receipt numbers in one block. A crash leaves a gap in the numbers. */
async function issueReceipts(
  { numbering, codes, receipts }: Deps,
  events: readonly Completed[],
): Promise<void> {
  const [first] = events;
  if (!first) return;
  const { businessid } = first;
  const numbers = await numbering.takeBlock(businessid, events.length);
  const storedCodes = await codes.create(
    events.map(({ recordid }) => ({ businessid, recordid, draw: drawSecretCode })),
  );
  await receipts.insertMany(
    events.map((event, index) => ({
      entity: receiptOf(event, numbers[index] ?? "", storedCodes[index] ?? ""),
      events: [],
      cause: { now: new Date(event.at) },
    })),
  );
}

function receiptOf(
  { recordid, businessid, data, inside, at }: Completed,
  receiptno: string,
  code: string,
): Receipt {
  return {
    id: recordid,
    businessid,
    receiptno,
    invoiceid: inside.invoiceid,
    amount: shillingsToCents(data.amount),
    phone: data.phone,
    momoreceiptnumber: data.momoreceiptnumber,
    code,
    createdat: new Date(at),
  };
}

/** The callback with M-Pesa's number may have come after the event and before its receipt. */
async function fillLateNumber(deps: Deps, event: Completed): Promise<void> {
  if (event.data.momoreceiptnumber !== null) return;
  const found = await deps.transactions.find(event.businessid, event.recordid);
  if (found) await fillReceiptNumber(deps, found.entity);
}
