import { eventually, publishEvents, type FrozenClock, type UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";
import { expect } from "vitest";
import type { Action } from "./expected-year.ts";
import { price } from "./year-plan.ts";

interface Target {
  readonly system: UsedSystem;
  readonly clock: FrozenClock;
}

async function openInvoicesOf(system: UsedSystem, id: string): Promise<Document[]> {
  return system
    .database("invoice")
    .collection("invoices")
    .find({ "issuedfor.subscriptionid": id, status: { $nin: ["paid", "cancelled"] } })
    .sort({ invoicedate: 1, "issuedfor.why": 1, "issuedfor.of": 1 })
    .toArray();
}

export interface PlannedAction {
  readonly action: Action;
  readonly id: string;
  /** True: a payment event pays the invoice. False: the business sets it paid, as for cash. */
  readonly isPaidByEvent: boolean;
}

export async function perform(
  target: Target,
  { action, id, isPaidByEvent }: PlannedAction,
): Promise<void> {
  const { system } = target;
  const usesInvoices = /pay|oldest/.test(action);
  const open = usesInvoices ? await openInvoicesOf(system, id) : [];
  const [oldest] = open;
  const chosen = action === "pay all" ? open : open.slice(0, 1);
  const base = "/business/subscription";
  switch (action) {
    case "pay oldest":
    case "pay all":
      for (const invoice of chosen) await pay(target, invoice, isPaidByEvent);
      return;
    case "pay half":
      if (oldest && !(await hasPaidHalf(system, open)))
        await publishOutcome(target, oldest, oldest["balance"] / 2);
      return;
    case "fail to pay":
      if (oldest) await publishOutcome(target, oldest, oldest["balance"], "failed");
      return;
    case "cancel oldest invoice":
      for (const { _id } of chosen) await setStatus(system, String(_id), "cancelled");
      return;
    case "generate invoice":
      return retryUntilAnswered(async () => system.api("GET", `${base}/generate-invoice/${id}`));
    case "pause":
    case "resume":
      return retryUntilAnswered(async () => system.api("POST", `${base}/${action}/${id}`, {}));
    case "cancel":
      return retryUntilAnswered(async () =>
        system.api("POST", `${base}/cancel/${id}`, { reason: "moving away" }),
      );
    default:
      return action satisfies never;
  }
}

async function setStatus({ api }: UsedSystem, id: string, status: string): Promise<void> {
  return retryUntilAnswered(async () => api("PATCH", `/business/invoice/update/${id}`, { status }));
}

/** A conflict is an answer. While a service is away, there is none, and the request is repeated. */
export async function retryUntilAnswered(
  request: () => Promise<{ status: number; text: string }>,
): Promise<void> {
  await eventually(async () => {
    const { status, text } = await request();
    expect(`${status} ${text}`).toMatch(/^(200|409) /);
  }, 30_000);
}

async function pay(target: Target, invoice: Document, isPaidByEvent: boolean): Promise<void> {
  if (!isPaidByEvent) return setStatus(target.system, String(invoice["_id"]), "paid");
  await publishOutcome(target, invoice, invoice["balance"]);
}

/** The customer has paid half a price already, on an invoice or as credit. One is the limit. */
async function hasPaidHalf(system: UsedSystem, open: readonly Document[]): Promise<boolean> {
  const isHalf = open.some(({ balance }) => balance < price * 100);
  return isHalf || (await creditOf(system, String(open[0]?.["customer"].id))) > 0;
}

/** The unspent credit of a customer, in cents. */
export async function creditOf(system: UsedSystem, customerid: string): Promise<number> {
  const credits = system.database("invoice").collection("credits");
  const found = await credits.find({ customerid, unspent: { $gt: 0 } }).toArray();
  return found.reduce((sum, { unspent }) => sum + unspent, 0);
}

/** Publishes the event with which the payment service reports the outcome of a prompt. */
async function publishOutcome(
  { system, clock }: Target,
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
