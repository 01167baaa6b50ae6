import {
  type EntityOf,
  newestFirstIndex,
  openRecords,
  type Records,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Endpoint } from "../domain/endpoint.ts";

export type Subscriber = Pick<Endpoint, "id" | "businessid" | "types" | "enabled">;

export interface Endpoints extends Records<Endpoint> {
  /** The endpoints of these businesses. Disabled ones are included: their deliveries wait for them. */
  subscribers(businessids: readonly string[]): Promise<readonly Subscriber[]>;
  /** Of any business, deleted ones included: for the worker that has the lease. */
  get(id: string): Promise<Endpoint | null>;
  slotsTaken(businessid: string): Promise<readonly number[]>;
}

/** Limits the endpoints of a business, even when several are created at once. */
const slotIndex = {
  key: { businessid: 1, slot: 1 },
  name: "slot",
  unique: true,
  partialFilterExpression: { slot: { $gt: 0 } },
} as const;

export async function openEndpoints(service: Service): Promise<Endpoints> {
  const records = await openRecords<Endpoint>(
    service,
    "endpoints",
    [newestFirstIndex, slotIndex, { key: { expiresat: 1 }, expireAfterSeconds: 0 }],
    endpointFrom,
  );
  const findPresent = (businessids: readonly string[]) =>
    records.collection
      .find(
        { businessid: { $in: businessids.map((id) => new ObjectId(id)) }, slot: { $gt: 0 } },
        { projection: { businessid: 1, types: 1, slot: 1, enabled: 1 } },
      )
      .toArray();
  return {
    ...records,
    subscribers: async (businessids) => {
      const documents = await findPresent(businessids);
      return documents.map((document) => ({
        id: String(document._id),
        businessid: String(document.businessid),
        types: document["types"],
        enabled: document["enabled"],
      }));
    },
    get: async (id) => {
      const found = await records.collection.findOne({ _id: new ObjectId(id) }, withoutEvents);
      return found && endpointFrom({ id, businessid: String(found.businessid) }, found);
    },
    slotsTaken: async (businessid) =>
      (await findPresent([businessid])).map((document) => document["slot"]),
  };
}

const endpointFrom: EntityOf<Endpoint> = (ids, fields) => ({
  ...ids,
  slot: fields["slot"],
  url: fields["url"],
  types: fields["types"],
  description: fields["description"],
  secrets: fields["secrets"],
  enabled: fields["enabled"],
  disabledat: fields["disabledat"],
  disabledreason: fields["disabledreason"],
  createdat: fields["createdat"],
  updatedat: fields["updatedat"],
  expiresat: fields["expiresat"],
});
