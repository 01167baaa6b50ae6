import { aggregate } from "./aggregate/aggregate.ts";
import {
  create,
  drop,
  listCollections,
  renameCollection,
} from "./collections/collection-commands.ts";
import { dropDatabase, listDatabases } from "./collections/database-commands.ts";
import { collMod, createIndexes, dropIndexes, listIndexes } from "./collections/index-commands.ts";
import { collStats, dbStats } from "./collections/statistics-commands.ts";
import { validate } from "./collections/validate.ts";
import type { Command } from "./command.ts";
import { explain } from "./explain/explain.ts";
import { count } from "./read/count.ts";
import { getMore, killCursors } from "./read/cursor-commands.ts";
import { distinct } from "./read/distinct.ts";
import { find } from "./read/find.ts";
import { configureFailPoint } from "./server/fail-point-command.ts";
import {
  buildInfo,
  connectionStatus,
  hello,
  isMaster,
  ping,
  serverStatus,
} from "./server/handshake-commands.ts";
import { saslContinue, saslStart } from "./server/sasl-commands.ts";
import {
  getCmdLineOpts,
  getParameter,
  hostInfo,
  replSetGetStatus,
  whatsmyuri,
} from "./server/server-info-commands.ts";
import {
  endSessions,
  killAllSessions,
  killSessions,
  refreshSessions,
} from "./sessions/session-commands.ts";
import { abortTransaction, commitTransaction } from "./sessions/transaction-commands.ts";
import { deleteCommand } from "./write/delete.ts";
import { findAndModify } from "./write/find-and-modify.ts";
import { insert } from "./write/insert.ts";
import { update } from "./write/update.ts";

/** All commands, by name and alias. */
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
    saslStart,
    saslContinue,
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
