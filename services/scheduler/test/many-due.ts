import { randomBytes } from "node:crypto";
import { addMs, bucketOf, dayMs } from "@malipo/core";
import { idIn, type UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";

/** Inserts `wanted` copies of a subscription that the API created, all due at once. */
export async function manyDue(
  { api, database }: Pick<UsedSystem, "api" | "database">,
  wanted: number,
): Promise<string[]> {
  const customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
  const itemid = idIn(await api("POST", "/business/product/create", { title: "Maji", price: 10 }));
  const order = { customerid, items: [{ itemid, quantity: 1, rate: 10 }], autorenew: true };
  const first = await api("POST", "/business/subscription/create", order);
  const subscriptions = database("subscription").collection("subscriptions");
  const made = await subscriptions.findOne({ _id: new ObjectId(idIn(first)) });
  if (!made) throw new Error("expected the subscription to exist");
  const { createdby: _createdby, ticket: _ticket, ...model } = made as Document;
  const due = addMs(new Date(), -dayMs);
  const copies = Array.from({ length: wanted }, (_, index) => {
    const _id = new ObjectId(randomBytes(12));
    return {
      ...model,
      _id,
      subscriptionno: `SUB-9${String(index).padStart(5, "0")}`,
      bucket: bucketOf(_id.toHexString()),
      invoices: [],
      history: [],
      events: [],
      seq: 0,
      published: 0,
      rhythm: due,
      nextbillingdate: due,
      coveredthrough: due,
      dueat: due,
    };
  });
  await subscriptions.insertMany(copies);
  return copies.map(({ _id }) => _id.toHexString());
}
