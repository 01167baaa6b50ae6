import { cents } from "@malipo/core";
import {
  newestFirstIndex,
  openRecords,
  type Records,
  type StoredRecord,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import { type Plan, retirePlan } from "../domain/plan.ts";

interface PlanPage {
  readonly limit: number;
  readonly offset: number;
  readonly sort_by: string;
}

export interface Plans extends Pick<
  Records<Plan>,
  "collection" | "insert" | "update" | "updateWithRetry"
> {
  /** Null for a deleted plan. */
  find(businessid: string, id: string): Promise<StoredRecord<Plan> | null>;
  list(
    businessid: string,
    page: PlanPage,
  ): Promise<{ plans: Omit<Plan, "items">[]; total: number }>;
}

const notDeleted = { $in: ["active", "retired"] } as const;

/** The stored field for each `sort_by`. The interface has the misspelt `titlee` as well. */
const sortFields: Readonly<Record<string, string>> = {
  amount: "amount",
  title: "sorttitle",
  titlee: "sorttitle",
  createdat: "createdat",
};

export async function openPlans(service: Service): Promise<Plans> {
  const records = await openRecords<Plan>(
    service,
    "plans",
    [newestFirstIndex, indexOf("amount"), indexOf("sorttitle")],
    planOf,
  );
  const { collection } = records;
  return {
    ...records,
    find: async (businessid, id) => {
      const found = await records.find(businessid, id);
      return found?.entity.status === "deleted" ? null : found;
    },
    list: async (businessid, { limit, offset, sort_by }) => {
      const filter = { businessid: new ObjectId(businessid), status: notDeleted };
      const direction = sort_by.startsWith("-") ? -1 : 1;
      const field = sortFields[sort_by.replace("-", "")] ?? "createdat";
      const [found, total] = await Promise.all([
        collection
          .find(filter, { projection: { ...withoutEvents.projection, items: 0 } })
          .sort({ [field]: direction, _id: direction })
          .skip(offset)
          .limit(limit)
          .toArray(),
        collection.countDocuments(filter),
      ]);
      const plans = found.map((document) =>
        planOf({ id: String(document._id), businessid }, document),
      );
      return { plans, total };
    },
  };
}

/** Makes a plan readable again that was deleted while a subscription of it was created. */
export async function keepUsedPlan(
  plans: Pick<Plans, "find" | "updateWithRetry">,
  { businessid, id }: Plan,
  now: Date,
): Promise<void> {
  if (await plans.find(businessid, id)) return;
  await plans.updateWithRetry(businessid, id, { now }, (plan) =>
    plan.status === "deleted" ? { entity: retirePlan(plan, true, now), events: [] } : null,
  );
}

function indexOf(field: string) {
  return { key: { businessid: 1, [field]: 1, _id: 1 }, name: field } as const;
}

function planOf(ids: { id: string; businessid: string }, fields: Document): Plan {
  return {
    ...ids,
    title: fields["title"],
    sorttitle: fields["sorttitle"],
    amount: cents(fields["amount"]),
    billingcycle: fields["billingcycle"],
    trialdays: fields["trialdays"],
    items: fields["items"],
    status: fields["status"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
  };
}
