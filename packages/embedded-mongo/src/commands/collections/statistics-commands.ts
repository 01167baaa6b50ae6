import type { Command } from "../command.ts";
import { targetCollection } from "../target-collection.ts";

export const collStats: Command = {
  name: "collStats",
  kind: "read",
  fields: { collStats: "string", scale: "number" },
  run(call) {
    const { db, name, namespace } = targetCollection(call, "collStats");
    const scale = call.body.natural("scale") ?? 1;
    const collection = call.store.catalog.find(db, name);
    const size = Math.floor((collection?.dataBytes ?? 0) / scale);
    const count = collection?.count ?? 0;
    return {
      ns: namespace,
      size,
      count,
      ...(count === 0 ? {} : { avgObjSize: Math.floor(size / count) }),
      storageSize: size,
      nindexes: collection?.indexes.length ?? 0,
      capped: false,
      ok: 1,
    };
  },
};

export const dbStats: Command = {
  name: "dbStats",
  kind: "read",
  fields: { dbStats: "any", dbstats: "any", scale: "number" },
  run(call) {
    const collections = call.store.catalog.collectionsOf(call.db);
    const sum = (of: (one: (typeof collections)[number]) => number) =>
      collections.reduce((total, one) => total + of(one), 0);
    return {
      db: call.db,
      collections: collections.length,
      views: 0,
      objects: sum((one) => one.count),
      dataSize: Math.floor(sum((one) => one.dataBytes) / (call.body.natural("scale") ?? 1)),
      indexes: sum((one) => one.indexes.length),
      ok: 1,
    };
  },
};
