import { type BusinessView, calls, type EventOf } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { ObjectId } from "mongodb";
import { ask } from "./ask.ts";
import type { Service } from "./service.ts";

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

  return {
    get: async (businessid) => {
      const known = await collection.findOne({ _id: new ObjectId(businessid) });
      if (known) return ok(known.business);
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
