import type { ParkedRecord } from "@malipo/contracts";
import { type Document, ObjectId } from "mongodb";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { withoutHistory } from "../records/find-together.ts";
import { gaugeOnScrape } from "../metrics/index.ts";
import type { Service } from "../service/service.ts";

const listedMax = 100;
const retriedMax = 1_000;
const everParked = { $gt: new Date(0) } as const;

/** Where records are that failed too often to be tried by themselves any more. */
export interface ParkedPlace {
  readonly collection: EventfulCollection;
  /** The field that says since when. */
  readonly since: string;
  readonly view: (
    document: Document,
  ) => Pick<ParkedRecord, "reason" | "tries"> & { readonly at: Date };
  /** The fields by which it is tried again, with all of its tries. */
  readonly revive: (now: Date) => Document;
}

/** What is parked by this field; few ever are. */
export function parkedIndexOf(since: string, name: string) {
  return {
    key: { [since]: 1 },
    name,
    partialFilterExpression: { [since]: everParked },
  } as const;
}

/** The oldest first. */
export async function listParked(
  service: string,
  places: readonly ParkedPlace[],
): Promise<ParkedRecord[]> {
  const found = await Promise.all(
    places.map(async ({ collection, since, view }) => {
      const documents = await collection
        .find({ [since]: everParked }, withoutHistory)
        .sort({ [since]: 1 })
        .limit(listedMax)
        .toArray();
      return documents.map((document) => {
        const { at, ...said } = view(document);
        const ids = { _id: String(document._id), businessid: String(document.businessid) };
        return { service, ...ids, ...said, at: at.toISOString() };
      });
    }),
  );
  return found
    .flat()
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .slice(0, listedMax);
}

/** Sets parked ones going again, one or all, and says how many. */
export async function retryParked(
  places: readonly ParkedPlace[],
  id: string | undefined,
  now: Date,
): Promise<number> {
  let retried = 0;
  for (const { collection, since, revive } of places) {
    const found = await collection
      .find(
        { [since]: everParked, ...(id !== undefined && { _id: new ObjectId(id) }) },
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

/** How many are parked, counted when somebody asks: the index holds only those. */
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
        const count = await collection.countDocuments({ [since]: everParked });
        return [{ collection: collection.collectionName, since }, count] as const;
      }),
    ),
  );
}
