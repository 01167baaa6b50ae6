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

/** The turns of all processes together. */
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

/** A person waits for the result of a test, so its turn does not come after those of resends. */
export interface AllTurns {
  readonly tests: Turns;
  readonly resends: Turns;
}

type TurnsService = Pick<Service, "store"> & StartContext;

export async function openTurns(service: TurnsService): Promise<AllTurns> {
  const [tests, resends] = await Promise.all([
    turnsIn("testturns", service),
    turnsIn("turns", service),
  ]);
  return { tests, resends };
}

async function turnsIn(name: string, service: TurnsService): Promise<Turns> {
  const collection = service.store.db.collection<TurnsDocument>(name);
  await ensureIndexes(service, collection, [{ key: { last: 1 }, expireAfterSeconds: keptSeconds }]);
  return {
    take: async ({ id, businessid }, count, now) => {
      if (count === 0) return ok([]);
      // Neither gives turns unless both do. Requests at the same time may all get theirs: then the
      // waits are longer than the limit, and no turn is lost.
      const full = await fullFault(collection, [id, businessid], now);
      if (full) return err(full);
      const [ofEndpoint, ofBusiness] = await Promise.all([
        takeOf(collection, id, webhookPace, count, now),
        takeOf(collection, businessid, businessPace, count, now),
      ]);
      return ok(ofEndpoint.map((turn, index) => later(turn, ofBusiness[index])));
    },
  };
}

async function fullFault(
  collection: Collection<TurnsDocument>,
  ids: readonly string[],
  now: Date,
): Promise<Fault | undefined> {
  const free = addMs(now, turnWaitMaxMs);
  const [fullest] = await collection
    .find({ _id: { $in: ids.map((id) => new ObjectId(id)) }, last: { $gt: free } })
    .sort({ last: -1 })
    .limit(1)
    .toArray();
  if (!fullest) return undefined;
  const waitMs = fullest.last.getTime() - free.getTime();
  const retryAfterSeconds = Math.ceil(waitMs / secondMs);
  const logText = "too many wait for their turns";
  return fault("service_unavailable", { retryAfterSeconds, logText });
}

async function takeOf(
  collection: Collection<TurnsDocument>,
  id: string,
  pace: Pace,
  count: number,
  now: Date,
): Promise<readonly Date[]> {
  const { intervalMs, burst } = pace;
  const from = { $max: ["$last", addMs(now, -burst * intervalMs)] };
  const before = await collection.findOneAndUpdate(
    { _id: new ObjectId(id) },
    [{ $set: { last: { $add: [from, count * intervalMs] } } }],
    { upsert: true, returnDocument: "before" },
  );
  return nextTurns(pace, before?.last ?? null, count, now);
}

function later(one: Date, other = one): Date {
  return one > other ? one : other;
}
