import {
  type EntityOf,
  newestFirst,
  openRecords,
  type Records,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Endpoint } from "../domain/endpoint.ts";

export type Listener = Pick<Endpoint, "id" | "businessid" | "types" | "enabled">;

export interface Endpoints extends Records<Endpoint> {
  /** Those that are not deleted, also the disabled: what they miss is kept for them. */
  listening(businessids: readonly string[]): Promise<readonly Listener[]>;
  /** Also one that is deleted, whoever's it is: for who serves it. */
  get(id: string): Promise<Endpoint | null>;
  slotsTaken(businessid: string): Promise<readonly number[]>;
}

/** Holds how many a business has, whoever creates at the same time. */
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
    [newestFirst, slotIndex, { key: { expiresat: 1 }, expireAfterSeconds: 0 }],
    endpointFrom,
  );
  const present = (businessids: readonly string[]) =>
    records.collection
      .find(
        { businessid: { $in: businessids.map((id) => new ObjectId(id)) }, slot: { $gt: 0 } },
        { projection: { businessid: 1, types: 1, slot: 1, enabled: 1 } },
      )
      .toArray();
  return {
    ...records,
    listening: async (businessids) => {
      const documents = await present(businessids);
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
      (await present([businessid])).map((document) => document["slot"]),
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
