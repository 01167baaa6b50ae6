import { hostname } from "node:os";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import type { Call, Command, Reply } from "./command.ts";
import { collectionNamed } from "./target.ts";

function parameters(call: Call): Document {
  return {
    enableTestCommands: call.server.failPoints !== undefined,
    featureCompatibilityVersion: { version: call.server.version.replace(/\.\d+$/, "") },
    requireApiVersion: false,
    authenticationMechanisms: [],
  };
}

/** The parameter's names are fields of the command, so they are checked here. */
export const getParameter: Command = {
  name: "getParameter",
  kind: "none",
  adminOnly: true,
  fields: {
    getParameter: "any",
    enableTestCommands: "any",
    featureCompatibilityVersion: "any",
    requireApiVersion: "any",
    authenticationMechanisms: "any",
  },
  run(call): Reply {
    const known = parameters(call);
    if (call.body.value("getParameter") === "*") return { ...known, ok: 1 };
    const wanted = Object.entries(known).filter(([name]) => call.body.has(name));
    if (wanted.length === 0) throw new MongoError("InvalidOptions", "no option found to get");
    return { ...Object.fromEntries(wanted), ok: 1 };
  },
};

export const getCmdLineOpts: Command = {
  name: "getCmdLineOpts",
  kind: "none",
  adminOnly: true,
  fields: { getCmdLineOpts: "any" },
  run: (call) => ({
    argv: ["embedded-mongo"],
    parsed: {
      replication: { replSet: call.server.setName },
      ...(call.server.failPoints === undefined ? {} : { setParameter: { enableTestCommands: 1 } }),
    },
    ok: 1,
  }),
};

export const hostInfo: Command = {
  name: "hostInfo",
  kind: "none",
  adminOnly: true,
  fields: { hostInfo: "any" },
  run: (call) => ({ system: { currentTime: call.now, hostname: hostname() }, ok: 1 }),
};

export const whatsmyuri: Command = {
  name: "whatsmyuri",
  kind: "none",
  fields: { whatsmyuri: "any" },
  run: (call) => ({ you: call.connection.address, ok: 1 }),
};

export const replSetGetStatus: Command = {
  name: "replSetGetStatus",
  kind: "none",
  adminOnly: true,
  fields: { replSetGetStatus: "any" },
  run(call) {
    const { address } = call.connection;
    const self = { _id: 0, name: address, health: 1, state: 1, stateStr: "PRIMARY", self: true };
    return { set: call.server.setName, myState: 1, date: call.now, members: [self], ok: 1 };
  },
};

/** Ends every transaction and cursor of sessions, as test suites do between tests. */
export const killAllSessions: Command = {
  name: "killAllSessions",
  kind: "none",
  fields: { killAllSessions: "array" },
  run(call) {
    call.transactions.abortAll();
    call.cursors.closeWhere((cursor) => cursor.session !== undefined);
    return { ok: 1 };
  },
};

export const killSessions: Command = {
  name: "killSessions",
  kind: "none",
  fields: { killSessions: "array" },
  run(call) {
    const sessions = (call.body.value("killSessions") as { id?: { buffer?: Uint8Array } }[]).map(
      ({ id }) => (id?.buffer === undefined ? "" : String.fromCharCode(...id.buffer)),
    );
    for (const session of sessions) call.transactions.endSession(session);
    call.cursors.closeWhere(({ session }) => session !== undefined && sessions.includes(session));
    return { ok: 1 };
  },
};

export const renameCollection: Command = {
  name: "renameCollection",
  kind: "write",
  adminOnly: true,
  fields: { renameCollection: "string", to: "string", dropTarget: "bool" },
  run(call) {
    const { catalog } = call.store;
    const from = splitNamespace(call.body.string("renameCollection") ?? "");
    const to = splitNamespace(call.body.string("to") ?? "");
    const collection = catalog.find(from.db, from.name);
    if (collection === undefined) {
      throw new MongoError(
        "NamespaceNotFound",
        `Source collection ${from.db}.${from.name} does not exist`,
      );
    }
    const target = catalog.find(to.db, to.name);
    if (target === collection) {
      throw new MongoError("IllegalOperation", "Can't rename a collection to itself");
    }
    if (target !== undefined) {
      if (!call.body.bool("dropTarget")) {
        throw new MongoError("NamespaceExists", "target namespace exists");
      }
      catalog.drop(target);
    }
    call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
    catalog.rename(collection, to.db, to.name);
    return { ok: 1 };
  },
};

function splitNamespace(namespace: string): { db: string; name: string } {
  const dot = namespace.indexOf(".");
  if (dot <= 0) throw new MongoError("InvalidNamespace", `Invalid namespace: ${namespace}`);
  return { db: namespace.slice(0, dot), name: namespace.slice(dot + 1) };
}

export const collStats: Command = {
  name: "collStats",
  kind: "read",
  fields: { collStats: "string", scale: "number" },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "collStats");
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

/** Changes when the documents of a TTL index expire. */
export const collMod: Command = {
  name: "collMod",
  kind: "write",
  fields: { collMod: "string", index: "object" },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "collMod");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    }
    const change = call.body.document("index");
    if (change === undefined) return { ok: 1 };
    const { name: indexName, expireAfterSeconds, ...others } = change;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw new MongoError(
        "InvalidOptions",
        `collMod of index.${unknown} is not supported by this server`,
      );
    }
    const index = collection.indexes.find((one) => one.definition.name === indexName);
    if (index === undefined) {
      throw new MongoError(
        "IndexNotFound",
        `cannot find index ${String(indexName)} for ns ${namespace}`,
      );
    }
    const specification = { ...index.definition.specification, expireAfterSeconds };
    const before = index.definition.specification["expireAfterSeconds"];
    call.store.catalog.changeIndex(collection, index, specification);
    return { expireAfterSeconds_old: before, expireAfterSeconds_new: expireAfterSeconds, ok: 1 };
  },
};
