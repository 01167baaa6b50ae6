import { type BusinessView, calls, type EventOf } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { ObjectId } from "mongodb";
import { batchCommands } from "../mongo/index.ts";
import type { Service } from "../service/index.ts";
import { callService } from "./call-service.ts";

const batchMax = 100;

interface StoredView {
  /** The sequence number of the newest event that was applied; older events are ignored. */
  readonly seq: number;
  readonly business: BusinessView;
}

/** A service's copy of the businesses, made from their events. The gateway answers for missing ones. */
export interface BusinessViews {
  get(businessid: string): Promise<Result<BusinessView, Fault>>;
  apply(events: readonly EventOf<"business.*">[]): Promise<void>;
}

export function openBusinessViews(service: Service): BusinessViews {
  const collection = service.store.db.collection<StoredView & { _id: ObjectId }>("businesses");

  const store = (views: readonly StoredView[]) =>
    collection.bulkWrite(
      views.flatMap(({ seq, business }) => {
        const _id = new ObjectId(business._id);
        const stored = { seq, business };
        return [
          { updateOne: { filter: { _id }, update: { $setOnInsert: stored }, upsert: true } },
          { updateOne: { filter: { _id, seq: { $lt: seq } }, update: { $set: stored } } },
        ];
      }),
    );

  const find = batchCommands<string, BusinessView | undefined>(batchMax, async (ids) => {
    const distinct = [...new Set(ids)].map((id) => new ObjectId(id));
    const found = await collection.find({ _id: { $in: distinct } }).toArray();
    const views = new Map(found.map(({ _id, business }) => [String(_id), business]));
    return ids.map((id) => views.get(id.toLowerCase()));
  });

  return {
    get: async (businessid) => {
      const stored = await find(businessid);
      if (stored) return ok(stored);
      const described = await callService(service, calls.describeBusiness, {
        body: { businessid },
      });
      if (!described.ok) return described;
      await store([described.value]);
      return ok(described.value.business);
    },
    apply: async (events) => {
      await store(events.map(({ seq, data }) => ({ seq, business: data })));
    },
  };
}
