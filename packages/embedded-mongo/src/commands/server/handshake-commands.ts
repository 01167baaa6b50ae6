import type { Document } from "../../document-codec.ts";
import { limits } from "../../limits.ts";
import type { Call, Command, Reply } from "../command.ts";

const wireVersion = { min: 0, max: 21 } as const;

function helloReply(call: Call): Reply {
  const { address, id, client } = call.connection;
  client.appName ??= appNameOf(call.body.document("client"));
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    secondary: false,
    hosts: [address],
    setName: call.server.setName,
    setVersion: 1,
    primary: address,
    me: address,
    maxBsonObjectSize: limits.documentBytesMax,
    maxMessageSizeBytes: limits.messageBytesMax,
    maxWriteBatchSize: limits.writeBatchMax,
    localTime: call.now,
    logicalSessionTimeoutMinutes: limits.sessionIdleMs / 60_000,
    connectionId: id,
    minWireVersion: wireVersion.min,
    maxWireVersion: wireVersion.max,
    readOnly: false,
    ok: 1,
  };
}

function appNameOf(client: Document | undefined): string | undefined {
  const name = (client?.["application"] as Document | undefined)?.["name"];
  return typeof name === "string" ? name : undefined;
}

const helloFields = {
  helloOk: "bool",
  client: "object",
  compression: "array",
  hostInfo: "string",
  saslSupportedMechs: "string",
  speculativeAuthenticate: "object",
  topologyVersion: "object",
  maxAwaitTimeMS: "number",
  backpressure: "any",
} as const;

export const hello: Command = {
  name: "hello",
  kind: "none",
  fields: { hello: "any", ...helloFields },
  run: helloReply,
};

export const isMaster: Command = {
  name: "isMaster",
  kind: "none",
  fields: { isMaster: "any", ismaster: "any", ...helloFields },
  run: helloReply,
};

export const ping: Command = {
  name: "ping",
  kind: "none",
  fields: { ping: "any" },
  run: () => ({ ok: 1 }),
};

export const buildInfo: Command = {
  name: "buildInfo",
  kind: "none",
  fields: { buildInfo: "any", buildinfo: "any" },
  run: (call) => ({
    version: call.server.version,
    gitVersion: "embedded",
    modules: [],
    storageEngines: ["sqlite"],
    versionArray: [...call.server.version.split(".").map(Number), 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: limits.documentBytesMax,
    ok: 1,
  }),
};

export const serverStatus: Command = {
  name: "serverStatus",
  kind: "none",
  fields: { serverStatus: "any" },
  run(call) {
    const memory = process.memoryUsage.rss();
    return {
      host: call.connection.address,
      version: call.server.version,
      process: "embedded-mongo",
      pid: process.pid,
      uptime: Math.floor((Date.now() - call.server.startedAt) / 1000),
      localTime: call.now,
      connections: {
        current: call.server.connectionCount(),
        available: limits.connectionsMax - call.server.connectionCount(),
      },
      mem: { resident: Math.ceil(memory / 1024 / 1024) },
      opcounters: Object.fromEntries(call.server.counters),
      metrics: {
        cursor: { open: { total: call.cursors.count } },
        commits: call.store.group.commits,
      },
      storageEngine: { name: "sqlite" },
      ok: 1,
    };
  },
};

export const connectionStatus: Command = {
  name: "connectionStatus",
  kind: "none",
  fields: { connectionStatus: "any", showPrivileges: "bool" },
  run: ({ body }) => ({
    authInfo: {
      authenticatedUsers: [],
      authenticatedUserRoles: [],
      ...(body.bool("showPrivileges") ? { authenticatedUserPrivileges: [] } : {}),
    },
    ok: 1,
  }),
};
