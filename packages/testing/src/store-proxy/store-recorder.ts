import { MongoClient } from "mongodb";
import { conditionalWritesIn } from "./conditional-write.ts";
import { acceptConnections } from "./proxy-connections.ts";
import { addressIn, uriOf } from "./store-address.ts";
import { readWrite, type StoreWrite } from "./store-write.ts";

export interface StoreRecorder {
  readonly mongodbUri: string;
  /** The kinds of conditional writes that have come so far, by the end of the database's name. */
  recorded(): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  close(): Promise<void>;
}

/** Stands before the store in a whole run, and notes which conditional writes the services make. */
export async function startStoreRecorder(mongodbUri: string): Promise<StoreRecorder> {
  const direct = await MongoClient.connect(mongodbUri);
  const conditionalIn = conditionalWritesIn(direct);
  const recorded = new Map<string, Set<string>>();
  const pending = new Set<Promise<void>>();

  async function record(write: StoreWrite) {
    const service = write.database.slice(write.database.lastIndexOf("_") + 1);
    const kinds = recorded.get(service) ?? new Set();
    recorded.set(service, kinds);
    for (const { kind } of await conditionalIn(write)) kinds.add(kind);
  }

  const connections = await acceptConnections(addressIn(mongodbUri), {
    before: async (command) => {
      const write = readWrite(command);
      if (!write) return "forward";
      const recording = record(write).finally(() => pending.delete(recording));
      pending.add(recording);
      return "forward";
    },
    after: async () => "forward",
  });

  return {
    mongodbUri: uriOf(mongodbUri, connections.port),
    recorded: async () => {
      await Promise.all(pending);
      return recorded;
    },
    close: async () => {
      await connections.close();
      await Promise.all(pending);
      await direct.close();
    },
  };
}
