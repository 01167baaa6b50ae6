import { eventually, publishEvents, type StillClock, type UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";
import { expect } from "vitest";
import type { Act } from "./expected-year.ts";
import { price } from "./year-plan.ts";

interface Place {
  readonly system: UsedSystem;
  readonly clock: StillClock;
}

async function openInvoicesOf(system: UsedSystem, id: string): Promise<Document[]> {
  return system
    .database("invoice")
    .collection("invoices")
    .find({ "issuedfor.subscriptionid": id, status: { $nin: ["paid", "cancelled"] } })
    .sort({ invoicedate: 1, "issuedfor.why": 1, "issuedfor.of": 1 })
    .toArray();
}

export interface Performed {
  readonly act: Act;
  readonly id: string;
  /** Paid as the payment service tells it, or as somebody says who was paid in cash. */
  readonly byEvent: boolean;
}

export async function perform(place: Place, { act, id, byEvent }: Performed): Promise<void> {
  const { system } = place;
  const open = /pay|annul/.test(act) ? await openInvoicesOf(system, id) : [];
  const [oldest] = open;
  const meant = act === "pay all" ? open : open.slice(0, 1);
  const about = `/business/subscription`;
  switch (act) {
    case "pay oldest":
    case "pay all":
      for (const invoice of meant) await pay(place, invoice, byEvent);
      return;
    case "pay half":
      if (oldest && !(await hasPaidSome(system, open)))
        await tell(place, oldest, oldest["balance"] / 2);
      return;
    case "fail to pay":
      if (oldest) await tell(place, oldest, oldest["balance"], "failed");
      return;
    case "annul oldest":
      for (const { _id } of meant) await setStatus(system, String(_id), "cancelled");
      return;
    case "by hand":
      return insist(async () => system.api("GET", `${about}/generate-invoice/${id}`));
    case "pause":
    case "resume":
      return insist(async () => system.api("POST", `${about}/${act}/${id}`, {}));
    case "cancel":
      return insist(async () =>
        system.api("POST", `${about}/cancel/${id}`, { reason: "moving away" }),
      );
    default:
      return act satisfies never;
  }
}

async function setStatus({ api }: UsedSystem, id: string, status: string): Promise<void> {
  return insist(async () => api("PATCH", `/business/invoice/update/${id}`, { status }));
}

/** A conflict is an answer; that nobody is there, is none. */
export async function insist(
  request: () => Promise<{ status: number; text: string }>,
): Promise<void> {
  await eventually(async () => {
    const { status, text } = await request();
    expect(`${status} ${text}`).toMatch(/^(200|409) /);
  }, 30_000);
}

async function pay(place: Place, invoice: Document, byEvent: boolean): Promise<void> {
  if (!byEvent) return setStatus(place.system, String(invoice["_id"]), "paid");
  await tell(place, invoice, invoice["balance"]);
}

/** There is half a price at most of anybody, on an invoice or kept for one. */
async function hasPaidSome(system: UsedSystem, open: readonly Document[]): Promise<boolean> {
  const isHalf = open.some(({ balance }) => balance < price * 100);
  return isHalf || (await creditOf(system, String(open[0]?.["customer"].id))) > 0;
}

/** What a customer has paid that stands on no invoice, in cents. */
export async function creditOf(system: UsedSystem, customerid: string): Promise<number> {
  const credits = system.database("invoice").collection("credits");
  const found = await credits.find({ customerid, unspent: { $gt: 0 } }).toArray();
  return found.reduce((sum, { unspent }) => sum + unspent, 0);
}

/** As the payment service tells how a prompt ended. */
async function tell(
  { system, clock }: Place,
  invoice: Document,
  amount: number,
  status: "completed" | "failed" = "completed",
): Promise<void> {
  const transactionid = new ObjectId().toHexString();
  const data = {
    transactionid,
    checkoutrequestid: null,
    amount: amount / 100,
    phone: "254712345678",
    momoreceiptnumber: null,
    referenceid: null,
    status,
    reason: status === "failed" ? "no funds" : null,
  };
  const invoiceid = String(invoice["_id"]);
  const inside = { invoiceid, subscriptionid: null, customerid: null, paymentlinkid: null };
  await publishEvents(system.servers, [
    {
      id: `evt_${transactionid}`,
      type: `payment.${status}`,
      seq: 1,
      businessid: system.business.businessid,
      recordid: transactionid,
      at: clock.now().toISOString(),
      data,
      inside,
    },
  ]);
}
