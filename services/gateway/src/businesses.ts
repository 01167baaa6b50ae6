import type { Service } from "@malipo/platform";
import { ObjectId, type WithId } from "mongodb";
import type { Business } from "./business.ts";

/** Absent until the first product: $min takes whatever comes first. */
type BusinessDocument = Omit<Business, "id" | "firstproductat"> & { firstproductat?: Date };

export type Businesses = ReturnType<typeof openBusinesses>;

export function openBusinesses({ store }: Service) {
  const collection = store.db.collection<BusinessDocument>("businesses");

  return {
    async insert({ id, firstproductat, ...fields }: Business): Promise<void> {
      await collection.insertOne({
        _id: new ObjectId(id),
        ...fields,
        ...(firstproductat && { firstproductat }),
      });
    },

    async find(id: string): Promise<Business | null> {
      const document = await collection.findOne({ _id: new ObjectId(id) });
      return document && businessOf(document);
    },

    /** The earliest moment stands, in whatever order and however often the news comes. */
    async noteFirstProducts(moments: readonly { businessid: string; at: Date }[]): Promise<void> {
      await collection.bulkWrite(
        moments.map(({ businessid, at }) => ({
          updateOne: {
            filter: { _id: new ObjectId(businessid) },
            update: { $min: { firstproductat: at } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

function businessOf({ _id, firstproductat, ...fields }: WithId<BusinessDocument>): Business {
  return { id: _id.toHexString(), firstproductat: firstproductat ?? null, ...fields };
}
