import { addMs, bucketOf, dayMs } from "@malipo/core";
import { type Document, ObjectId } from "mongodb";
import type { Backend } from "../backend.ts";
import { seedCustomer } from "../invoice/seed-customer.ts";

const batchMax = 2_000;

export interface SeededBusiness {
  readonly businessid: ObjectId;
  readonly customerid: ObjectId;
}

/** A business and its customer, as the services store them. */
export async function seedBusiness({
  database,
}: Pick<Backend, "database">): Promise<SeededBusiness> {
  const businessid = new ObjectId();
  const at = new Date().toISOString();
  const business = {
    _id: String(businessid),
    name: "Duka",
    plan: "free",
    limits: null,
    status: "active",
    settings: {
      displayname: "Duka",
      feepercent: 0,
      feefixed: 0,
      duedays: 7,
      duedaysweekly: 3,
      partpayment: true,
    },
    createdat: at,
    updatedat: at,
  };
  for (const service of ["subscription", "invoice"]) {
    await database(service)
      .collection("businesses")
      .insertOne({ _id: businessid, seq: 1, business });
  }
  const customerid = await seedCustomer(database("invoice"), businessid);
  return { businessid, customerid };
}

/** Monthly subscriptions in their second month, whose period ends at the boundary. */
export async function seedSubscriptions(
  { database }: Pick<Backend, "database">,
  { businessid, customerid }: SeededBusiness,
  count: number,
  boundary: Date,
): Promise<void> {
  const subscriptions = database("subscription").collection("subscriptions");
  for (let inserted = 0; inserted < count; inserted += batchMax) {
    const batch = Array.from({ length: Math.min(batchMax, count - inserted) }, () =>
      subscriptionDue(businessid, String(customerid), boundary),
    );
    await subscriptions.insertMany(batch, { ordered: false });
  }
}

function subscriptionDue(businessid: ObjectId, customerid: string, boundary: Date): Document {
  const _id = new ObjectId();
  const created = addMs(boundary, -30 * dayMs);
  return {
    _id,
    businessid,
    subscriptionno: `SUB-${_id.toHexString().slice(-6)}`,
    title: "Internet",
    status: "active",
    customerid,
    items: [{ itemid: _id.toHexString(), title: "Internet", quantity: 1, rate: 250_000 }],
    amount: 250_000,
    billingcycle: "monthly",
    autorenew: true,
    planid: null,
    trial: null,
    enddate: null,
    remark: null,
    cancelreason: null,
    code: `s${_id.toHexString().slice(0, 9)}`,
    rhythm: created,
    nextbillingdate: boundary,
    coveredthrough: boundary,
    pendingsince: null,
    expiring: null,
    expirefrom: null,
    withdrawing: false,
    byhand: { n: 1, asked: false },
    invoices: [],
    prompts: 0,
    history: [],
    createdat: created,
    updatedat: created,
    bucket: bucketOf(_id.toHexString()),
    dueat: boundary,
    tries: 0,
    parked: null,
    version: 1,
    seq: 0,
    published: 0,
    events: [],
    words: ["internet"],
  };
}
