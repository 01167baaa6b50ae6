import { calls, type CustomerView, type EventOf } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { callService, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";

interface CustomerDocument {
  readonly _id: ObjectId;
  readonly businessid: string;
  /** Sequence number of the newest applied event. Older events change nothing. */
  readonly seq: number;
  readonly customer: CustomerView;
}

/** A copy of the invoice service's customers, kept from their events and filled on a miss. */
export interface Customers {
  get(businessid: string, customerid: string): Promise<Result<CustomerView, Fault>>;
  apply(events: readonly EventOf<"customer.*">[]): Promise<void>;
}

export function openCustomers(service: Service): Customers {
  const collection = service.store.db.collection<CustomerDocument>("customers");

  const keepNewest = (copies: readonly Omit<CustomerDocument, "_id">[]) =>
    collection.bulkWrite(
      copies.flatMap(({ businessid, seq, customer }) => {
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
      const described = await callService(service, calls.describeOrder, { businessid, body });
      if (!described.ok) return described;
      const { customer } = described.value;
      if (!customer) return err(fault("not_found", { text: "Customer not found" }));
      // The answer has no sequence number. With 0 any event replaces it.
      await keepNewest([{ businessid, seq: 0, customer }]);
      return ok(customer);
    },
    apply: async (events) => {
      const copies = events.map(({ businessid, seq, data }) => ({
        businessid,
        seq,
        customer: data,
      }));
      await keepNewest(copies);
    },
  };
}
