import { randomBytes } from "node:crypto";
import type { EventEnvelope } from "@malipo/contracts";
import { addMs, bucketOf, hourMs } from "@malipo/core";
import { idIn, type UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";

type System = Pick<UsedSystem, "api" | "database" | "business">;

const longAgo = addMs(new Date(), -hourMs);
/** Never due, until a test sets `at`. */
const unreconciled = { at: null, from: longAgo, resent: 0, parkedat: null, reason: null };

/** Subscriptions that have billed their first period, with all their events lost by the stream. */
export async function billedWithLostEvents(
  { api, database }: System,
  wanted: number,
  change: Document = {},
): Promise<string[]> {
  const customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
  const itemid = idIn(await api("POST", "/business/product/create", { title: "Maji", price: 10 }));
  const order = { customerid, items: [{ itemid, quantity: 1, rate: 10 }] };
  const first = await api("POST", "/business/subscription/create", order);
  const subscriptions = database("subscription").collection("subscriptions");
  const made = await subscriptions.findOne({ _id: new ObjectId(idIn(first)) });
  const billed = made?.["events"].find(({ type }: Document) => type === "subscription.billed");
  if (!made || !billed) throw new Error("expected a subscription that was billed");
  const { createdby: _createdby, ticket: _ticket, ...model } = made;
  const copies = Array.from({ length: wanted }, (_, index) => {
    const _id = new ObjectId(randomBytes(12));
    const subscriptionid = _id.toHexString();
    const data = { ...billed.data, key: { ...billed.data.key, subscriptionid }, ...change };
    return {
      ...model,
      _id,
      subscriptionno: `SUB-8${String(index).padStart(5, "0")}`,
      bucket: bucketOf(subscriptionid),
      events: [{ ...billed, id: `evt_${subscriptionid}`, seq: 1, data }],
      seq: 1,
      published: 1,
      compare: unreconciled,
    };
  });
  await subscriptions.insertMany(copies);
  return copies.map(({ _id }) => _id.toHexString());
}

/** A completed payment for an invoice, with its event lost by the stream. */
export async function paidWithLostEvent(
  { database, business: { businessid } }: System,
  invoiceid: string,
  amount: number,
): Promise<string> {
  const _id = new ObjectId(randomBytes(12));
  const transactionid = _id.toHexString();
  const data = {
    transactionid,
    checkoutrequestid: null,
    amount,
    phone: "254712345678",
    momoreceiptnumber: null,
    referenceid: null,
    status: "completed",
    reason: null,
  };
  const inside = { invoiceid, subscriptionid: null, customerid: null, paymentlinkid: null };
  const type = "payment.completed";
  await database("payment")
    .collection("transactions")
    .insertOne({
      _id,
      businessid: new ObjectId(businessid),
      bucket: bucketOf(transactionid),
      state: "completed",
      nextquery: null,
      events: [{ id: `evt_${transactionid}`, type, seq: 1, at: new Date(), data, inside }],
      seq: 1,
      published: 1,
      version: 1,
      compare: unreconciled,
    });
  return transactionid;
}

/** The subscription's billed event under a new id, because the stream takes each id only once. */
export async function billedEventOf(
  { database, business: { businessid } }: System,
  subscriptionid: string,
): Promise<EventEnvelope> {
  const found = await database("subscription")
    .collection("subscriptions")
    .findOne({ _id: new ObjectId(subscriptionid) });
  const [{ at, data }] = found?.["events"] ?? [{}];
  const id = `evt_${randomBytes(12).toString("hex")}`;
  const type = "subscription.billed";
  const about = { businessid, recordid: subscriptionid, at: at.toISOString(), inside: undefined };
  return { id, type, seq: 1, ...about, data };
}
