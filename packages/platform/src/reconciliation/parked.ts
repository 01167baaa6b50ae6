import type { ParkedRecord } from "@malipo/contracts";
import { cutToJsonBytes } from "@malipo/core";
import { type Document, ObjectId } from "mongodb";
import { gaugeOnScrape } from "../metrics/index.ts";
import { type EventfulCollection, withoutEvents } from "../outbox/index.ts";
import type { Service } from "../service/index.ts";

const listedMax = 100;
/** A reason may be the text of any error, and all of a list must fit into a reply. */
const reasonJsonMaxBytes = 2_000;
const retriedMax = 1_000;
const isParked = { $gt: new Date(0) } as const;

/**
 * A collection with parked records. A record is parked when it has failed so often that the service
 * no longer retries it; it waits for an operator.
 */
export interface ParkedPlace {
  readonly collection: EventfulCollection;
  /** The name of the field with the date of parking. */
  readonly since: string;
  readonly view: (
    document: Document,
  ) => Pick<ParkedRecord, "reason" | "tries"> & { readonly at: Date };
  /** The fields to set so that the service tries again, with a full number of attempts. */
  readonly revive: (now: Date) => Document;
}

/** The index of parked records by this field. It stays small: few records are ever parked. */
export function parkedIndexOf(since: string, name: string) {
  return {
    key: { [since]: 1 },
    name,
    partialFilterExpression: { [since]: isParked },
  } as const;
}

/** The parked records of a service, longest parked first. */
export async function listParked(
  service: string,
  places: readonly ParkedPlace[],
): Promise<ParkedRecord[]> {
  const found = await Promise.all(
    places.map(async ({ collection, since, view }) => {
      const documents = await collection
        .find({ [since]: isParked }, withoutEvents)
        .sort({ [since]: 1 })
        .limit(listedMax)
        .toArray();
      return documents.map((document) => {
        const { at, reason, tries } = view(document);
        const shown = { reason: cutToJsonBytes(reason, reasonJsonMaxBytes), tries };
        const ids = { _id: String(document._id), businessid: String(document.businessid) };
        return { service, ...ids, ...shown, at: at.toISOString() };
      });
    }),
  );
  return found
    .flat()
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .slice(0, listedMax);
}

/** Lets the service try one parked record again, or all of them. Answers how many. */
export async function retryParked(
  places: readonly ParkedPlace[],
  id: string | undefined,
  now: Date,
): Promise<number> {
  let retried = 0;
  for (const { collection, since, revive } of places) {
    const found = await collection
      .find(
        { [since]: isParked, ...(id !== undefined && { _id: new ObjectId(id) }) },
        { projection: { version: 1 } },
      )
      .limit(retriedMax)
      .toArray();
    if (found.length === 0) continue;
    const { modifiedCount } = await collection.bulkWrite(
      found.map(({ _id, version }: Document) => ({
        updateOne: {
          filter: { _id, version },
          update: { $set: { ...revive(now), version: version + 1 } },
        },
      })),
    );
    retried += modifiedCount;
  }
  return retried;
}

/** Exports the number of parked records. Each scrape counts them through the index. */
export function countParked(
  { metrics }: Pick<Service, "metrics">,
  places: readonly ParkedPlace[],
): void {
  const gauge = {
    name: "malipo_parked",
    help: "Records that failed too often and wait for an operator",
  };
  gaugeOnScrape(metrics.exported, gauge, async () =>
    Promise.all(
      places.map(async ({ collection, since }) => {
        const count = await collection.countDocuments({ [since]: isParked });
        return [{ collection: collection.collectionName, since }, count] as const;
      }),
    ),
  );
}
