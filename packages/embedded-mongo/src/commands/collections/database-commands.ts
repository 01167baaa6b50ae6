import type { Document } from "../../document-codec.ts";
import { compileFilter } from "../../semantics/index.ts";
import { checkDatabaseName } from "../../storage/collections/namespace.ts";
import type { Command } from "../command.ts";
import { dropCollection } from "./collection-commands.ts";

export const dropDatabase: Command = {
  name: "dropDatabase",
  kind: "write",
  fields: { dropDatabase: "number" },
  run(call) {
    checkDatabaseName(call.db);
    const collections = call.store.catalog.collectionsOf(call.db);
    for (const collection of collections) dropCollection(call, collection);
    return collections.length === 0 ? { ok: 1 } : { dropped: call.db, ok: 1 };
  },
};

export const listDatabases: Command = {
  name: "listDatabases",
  kind: "read",
  adminOnly: true,
  fields: {
    listDatabases: "number",
    filter: "object",
    nameOnly: "bool",
    authorizedDatabases: "bool",
  },
  run(call) {
    const { body, store } = call;
    const filter = compileFilter(body.document("filter") ?? {});
    const nameOnly = body.bool("nameOnly");
    const names = [...new Set(store.catalog.all().map((collection) => collection.db))].toSorted();
    const databases = names
      .map((name): Document => {
        if (nameOnly) return { name };
        const sizeOnDisk = store.catalog
          .collectionsOf(name)
          .reduce((sum, collection) => sum + collection.dataBytes, 0);
        return { name, sizeOnDisk, empty: false };
      })
      .filter((entry) => filter.matches(entry));
    if (nameOnly) return { databases, ok: 1 };
    const totalSize = databases.reduce((sum, entry) => sum + Number(entry["sizeOnDisk"]), 0);
    return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 1024 / 1024), ok: 1 };
  },
};
