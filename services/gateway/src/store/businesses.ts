import type { Paging } from "@malipo/contracts";
import {
  openRecords,
  type PageRequest,
  readPage,
  type Records,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import type { Document } from "mongodb";
import type { Business } from "../domain/business.ts";

export interface Businesses extends Records<Business> {
  /** All businesses, newest first. */
  list(request: PageRequest): Promise<{ entities: Business[]; paging: Paging }>;
}

const newestFirst = { createdat: -1, _id: -1 } as const;

export async function openBusinesses(service: Service): Promise<Businesses> {
  const records = await openRecords<Business>(
    service,
    "businesses",
    [{ key: newestFirst }],
    (ids, fields) => businessOf(ids.id, fields),
  );
  return {
    ...records,
    async list(request) {
      const options = { sort: newestFirst, ...withoutEvents };
      const { documents, paging } = await readPage(records.collection, {}, options, request);
      return { entities: documents.map((each) => businessOf(String(each._id), each)), paging };
    },
  };
}

function businessOf(id: string, fields: Document): Business {
  return {
    id,
    businessid: id,
    name: fields["name"],
    plan: fields["plan"],
    limits: fields["limits"],
    status: fields["status"],
    settings: fields["settings"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
  };
}
