import { calls, type CustomerView, type EventOf } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { ask, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";

interface HeardCustomer {
  readonly _id: ObjectId;
  readonly businessid: string;
  /** Of the newest event that was heard: an older one changes nothing. */
  readonly seq: number;
  readonly customer: CustomerView;
}

/** What this service knows of customers: what their events told it, and else what the invoice service says. */
export interface Customers {
  get(businessid: string, customerid: string): Promise<Result<CustomerView, Fault>>;
  apply(events: readonly EventOf<"customer.*">[]): Promise<void>;
}

export function openCustomers(service: Service): Customers {
  const collection = service.store.db.collection<HeardCustomer>("customers");

  const keep = (heard: readonly Omit<HeardCustomer, "_id">[]) =>
    collection.bulkWrite(
      heard.flatMap(({ businessid, seq, customer }) => {
        const _id = new ObjectId(customer._id);
        const set = { businessid, seq, customer };
        return [
          { updateOne: { filter: { _id }, update: { $setOnInsert: set }, upsert: true } },
          { updateOne: { filter: { _id, seq: { $lt: seq } }, update: { $set: set } } },
        ];
      }),
    );

  return {
    get: async (businessid, customerid) => {
      const known = await collection.findOne({ _id: new ObjectId(customerid), businessid });
      if (known) return ok(known.customer);
      const body = { customerid, itemids: [] };
      const asked = await ask(service, calls.describeOrder, { businessid, body });
      if (!asked.ok) return asked;
      const { customer } = asked.value;
      if (!customer) return err(fault("not_found", { text: "Customer not found" }));
      // Without the number of its last event it gives way to the first that is heard.
      await keep([{ businessid, seq: 0, customer }]);
      return ok(customer);
    },
    apply: async (events) => {
      await keep(events.map(({ businessid, seq, data }) => ({ businessid, seq, customer: data })));
    },
  };
}
