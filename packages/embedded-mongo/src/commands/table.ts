import {
  collMod,
  collStats,
  dbStats,
  getCmdLineOpts,
  getParameter,
  hostInfo,
  killAllSessions,
  killSessions,
  renameCollection,
  replSetGetStatus,
  whatsmyuri,
} from "./administration-commands.ts";
import { aggregate } from "./aggregate.ts";
import type { Command } from "./command.ts";
import { count, distinct } from "./count.ts";
import { getMore, killCursors } from "./cursor-commands.ts";
import { deleteCommand } from "./delete.ts";
import {
  buildInfo,
  connectionStatus,
  hello,
  isMaster,
  ping,
  serverStatus,
} from "./diagnostic-commands.ts";
import { explain } from "./explain.ts";
import { configureFailPoint } from "./fail-point-command.ts";
import { find } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { createIndexes, dropIndexes, listIndexes } from "./index-commands.ts";
import { insert } from "./insert.ts";
import {
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
} from "./namespace-commands.ts";
import {
  abortTransaction,
  commitTransaction,
  endSessions,
  refreshSessions,
} from "./transaction-commands.ts";
import { update } from "./update.ts";
import { validate } from "./validate.ts";

/** Every command there is, by every name it goes by. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    find,
    aggregate,
    explain,
    configureFailPoint,
    validate,
    collMod,
    collStats,
    dbStats,
    getCmdLineOpts,
    getParameter,
    hostInfo,
    killAllSessions,
    killSessions,
    renameCollection,
    replSetGetStatus,
    whatsmyuri,
    insert,
    update,
    deleteCommand,
    findAndModify,
    count,
    distinct,
    getMore,
    killCursors,
    create,
    drop,
    dropDatabase,
    listCollections,
    listDatabases,
    createIndexes,
    listIndexes,
    dropIndexes,
    hello,
    isMaster,
    ping,
    buildInfo,
    serverStatus,
    connectionStatus,
    endSessions,
    refreshSessions,
    commitTransaction,
    abortTransaction,
  ]
    .map((command): [string, Command] => [command.name, command])
    .concat([
      ["ismaster", isMaster],
      ["buildinfo", buildInfo],
      ["dbstats", dbStats],
      ["findandmodify", findAndModify],
    ]),
);
