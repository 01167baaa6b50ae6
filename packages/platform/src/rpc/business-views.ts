import { type BusinessView, calls, type EventOf } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { ObjectId } from "mongodb";
import { ask } from "./call-service.ts";
import type { Service } from "../service/service.ts";
import { together } from "../batching/together.ts";

const askedAtOnceMax = 100;

interface HeardView {
  /** Of the newest event that was heard: an older one changes nothing. */
  readonly seq: number;
  readonly business: BusinessView;
}

/** What a service knows of businesses: what their events told it, and else what the gateway says. */
export interface BusinessViews {
  get(businessid: string): Promise<Result<BusinessView, Fault>>;
  apply(events: readonly EventOf<"business.*">[]): Promise<void>;
}

export function openBusinessViews(service: Service): BusinessViews {
  const collection = service.store.db.collection<HeardView & { _id: ObjectId }>("businesses");

  const keep = (views: readonly HeardView[]) =>
    collection.bulkWrite(
      views.flatMap(({ seq, business }) => {
        const _id = new ObjectId(business._id);
        const heard = { seq, business };
        return [
          { updateOne: { filter: { _id }, update: { $setOnInsert: heard }, upsert: true } },
          { updateOne: { filter: { _id, seq: { $lt: seq } }, update: { $set: heard } } },
        ];
      }),
    );

  const find = together<string, BusinessView | undefined>(askedAtOnceMax, async (ids) => {
    const named = [...new Set(ids)].map((id) => new ObjectId(id));
    const found = await collection.find({ _id: { $in: named } }).toArray();
    const views = new Map(found.map(({ _id, business }) => [String(_id), business]));
    return ids.map((id) => views.get(id.toLowerCase()));
  });

  return {
    get: async (businessid) => {
      const known = await find(businessid);
      if (known) return ok(known);
      const asked = await ask(service, calls.describeBusiness, { body: { businessid } });
      if (!asked.ok) return asked;
      await keep([asked.value]);
      return ok(asked.value.business);
    },
    apply: async (events) => {
      await keep(events.map(({ seq, data }) => ({ seq, business: data })));
    },
  };
}
