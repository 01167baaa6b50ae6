import { mechanism, userDatabase } from "../../authentication/authentication.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import type { Call, Command, Reply } from "../command.ts";
import { readSpeculativeStart } from "./sasl-commands.ts";

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
    ...authenticationFields(call),
    ok: 1,
  };
}

function authenticationFields({ body, connection }: Call): Document {
  if (!connection.authentication.isRequired) return {};
  const speculativeAuthenticate = startSpeculatively(body, connection);
  return {
    // The same for every user, so that the answer does not tell which users exist.
    ...(body.has("saslSupportedMechs") ? { saslSupportedMechs: [mechanism] } : {}),
    ...(speculativeAuthenticate === undefined ? {} : { speculativeAuthenticate }),
  };
}

/** A hello succeeds without an attempt that fails; the client then sends its own `saslStart`. */
function startSpeculatively(
  body: Call["body"],
  { authentication }: Call["connection"],
): Document | undefined {
  const start = readSpeculativeStart(body);
  if (start === undefined) return undefined;
  try {
    return authentication.start(start);
  } catch (error) {
    if (error instanceof MongoError) return undefined;
    throw error;
  }
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
  beforeAuthentication: true,
  fields: { hello: "any", ...helloFields },
  run: helloReply,
};

export const isMaster: Command = {
  name: "isMaster",
  kind: "none",
  beforeAuthentication: true,
  fields: { isMaster: "any", ismaster: "any", ...helloFields },
  run: helloReply,
};

export const ping: Command = {
  name: "ping",
  kind: "none",
  beforeAuthentication: true,
  fields: { ping: "any" },
  run: () => ({ ok: 1 }),
};

export const buildInfo: Command = {
  name: "buildInfo",
  kind: "none",
  beforeAuthentication: true,
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
  run({ body, connection }) {
    const { user } = connection.authentication;
    const isKnown = user !== undefined;
    return {
      authInfo: {
        authenticatedUsers: isKnown ? [{ user, db: userDatabase }] : [],
        authenticatedUserRoles: isKnown ? [{ role: "root", db: userDatabase }] : [],
        ...(body.bool("showPrivileges") ? { authenticatedUserPrivileges: [] } : {}),
      },
      ok: 1,
    };
  },
};
