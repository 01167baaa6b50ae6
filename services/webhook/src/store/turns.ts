import { addMs, err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";
import { ensureIndexes, type Service, type StartContext } from "@malipo/platform";
import { type Collection, ObjectId } from "mongodb";
import { businessPace, nextTurns, type Pace, turnWaitMaxMs, webhookPace } from "../domain/pace.ts";

/** A document that nobody changes for this long says no more than a missing one. */
const keptSeconds = 60 * 60;

interface TurnsDocument {
  /** An endpoint or a business. */
  readonly _id: ObjectId;
  /** The last turn that was given. */
  readonly last: Date;
}

/** The turns of tests and resends, of all processes together. */
export interface Turns {
  /**
   * Gives the endpoint and its business their next turns: the times from which each may be sent. No
   * turn is given twice. The fault says when to ask again, because too many wait already.
   */
  take(
    endpoint: { readonly id: string; readonly businessid: string },
    count: number,
    now: Date,
  ): Promise<Result<readonly Date[], Fault>>;
}

export async function openTurns(service: Pick<Service, "store"> & StartContext): Promise<Turns> {
  const collection = service.store.db.collection<TurnsDocument>("turns");
  await ensureIndexes(service, collection, [{ key: { last: 1 }, expireAfterSeconds: keptSeconds }]);
  return {
    take: async ({ id, businessid }, count, now) => {
      if (count === 0) return ok([]);
      const ofEndpoint = await takeOf(collection, id, webhookPace, count, now);
      if (!ofEndpoint.ok) return ofEndpoint;
      const ofBusiness = await takeOf(collection, businessid, businessPace, count, now);
      if (!ofBusiness.ok) return ofBusiness;
      return ok(ofEndpoint.value.map((turn, index) => later(turn, ofBusiness.value[index])));
    },
  };
}

async function takeOf(
  collection: Collection<TurnsDocument>,
  id: string,
  pace: Pace,
  count: number,
  now: Date,
): Promise<Result<readonly Date[], Fault>> {
  const { intervalMs, burst } = pace;
  const full = addMs(now, turnWaitMaxMs);
  const from = { $max: ["$last", addMs(now, -burst * intervalMs)] };
  const last = {
    $cond: [{ $gt: ["$last", full] }, "$last", { $add: [from, count * intervalMs] }],
  };
  const before = await collection.findOneAndUpdate(
    { _id: new ObjectId(id) },
    [{ $set: { last } }],
    {
      upsert: true,
      returnDocument: "before",
    },
  );
  const waitMs = before ? before.last.getTime() - full.getTime() : 0;
  if (waitMs <= 0) return ok(nextTurns(pace, before?.last ?? null, count, now));
  const retryAfterSeconds = Math.ceil(waitMs / secondMs);
  const logText = "too many tests and resends wait";
  return err(fault("service_unavailable", { retryAfterSeconds, logText }));
}

function later(one: Date, other = one): Date {
  return one > other ? one : other;
}
