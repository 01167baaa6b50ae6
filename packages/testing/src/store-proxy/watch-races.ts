import type { MongoClient } from "mongodb";
import { conditionalWritesIn } from "./conditional-write.ts";
import type { StoreWrite } from "./store-write.ts";

/**
 * Runs what another writer does while a write waits. If that changed what the write depends on, the
 * write has lost a race, and its kind is added to `raced`. An act that changes nothing is no race.
 */
export function watchRaces(client: MongoClient, raced: Set<string>) {
  const conditionalIn = conditionalWritesIn(client);

  return async (write: StoreWrite, act: () => Promise<void>): Promise<void> => {
    const collection = client.db(write.database).collection(write.collection);
    const watched = (await conditionalIn(write)).filter(({ kind }) => !raced.has(kind));
    const countAll = async () =>
      Promise.all(
        watched.map(async ({ dependsOn }) => {
          const counts = dependsOn.map(async (filter) => collection.countDocuments(filter));
          return String(await Promise.all(counts));
        }),
      );
    const before = await countAll();
    await act();
    const after = await countAll();
    watched.forEach(({ kind }, index) => {
      if (before[index] !== after[index]) raced.add(kind);
    });
  };
}
