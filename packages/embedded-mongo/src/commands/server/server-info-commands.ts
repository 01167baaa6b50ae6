import { hostname } from "node:os";
import { mechanism } from "../../authentication/authentication.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import type { Call, Command, Reply } from "../command.ts";

function parameters(call: Call): Document {
  return {
    enableTestCommands: call.server.failPoints !== undefined,
    featureCompatibilityVersion: { version: call.server.version.replace(/\.\d+$/, "") },
    requireApiVersion: false,
    authenticationMechanisms: call.connection.authentication.isRequired ? [mechanism] : [],
  };
}

/** The names of parameters are fields of the command, so `fields` lists all of them. */
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
