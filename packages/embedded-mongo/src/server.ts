import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { Authentication } from "./authentication/authentication.ts";
import { deriveCredential } from "./authentication/credential.ts";
import type { Credential, UserPassword } from "./authentication/credential.ts";
import { execute } from "./commands/execute.ts";
import type { ServerContext } from "./commands/server-context.ts";
import { Cursors } from "./cursors.ts";
import { FailPoints } from "./faults/fail-points.ts";
import { RandomFaults } from "./faults/random-faults.ts";
import type { FaultOptions } from "./faults/random-faults.ts";
import { RecentUpserts } from "./faults/recent-upserts.ts";
import { limits } from "./limits.ts";
import { Store } from "./storage/store.ts";
import { Transactions } from "./transactions/transactions.ts";
import { startMaintenance } from "./maintenance/maintenance.ts";
import type { IdleBounds } from "./maintenance/maintenance.ts";
import { Connection } from "./wire/connection.ts";
import { Connections } from "./wire/connections.ts";

export type ServerOptions = {
  /** The folder of the data. It is created if it does not exist. */
  readonly dir: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Default: loopback only. */
  readonly host?: string;
  readonly setName?: string;
  /** Clients must authenticate with it. Without it, every client may do everything. */
  readonly user?: UserPassword | undefined;
  /** Offers `configureFailPoint`, as MongoDB does with enableTestCommands. */
  readonly testCommands?: boolean;
  /** Injects faults that a replica set has now and then; for tests. */
  readonly faults?: FaultOptions;
  /** Overrides of the default bounds. */
  readonly bounds?: Partial<Bounds>;
  /** Interval at which expired documents are deleted; 0 deletes none. */
  readonly ttlSweepMs?: number;
  /** Receives errors of the server itself, not those of requests. */
  readonly onError?: (error: unknown) => void;
};

export type EmbeddedMongo = {
  /** With the user and password, if clients must authenticate. */
  readonly uri: string;
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
};

/** The MongoDB release whose behaviour this server follows, as reported to drivers. */
const version = "7.0.0";

type Bounds = IdleBounds & {
  readonly connectionsMax: number;
  readonly unauthenticatedConnectionsMax: number;
  readonly redoBytesMax: number;
};

export async function startEmbeddedMongo(options: ServerOptions): Promise<EmbeddedMongo> {
  const { user } = options;
  const credential = user === undefined ? undefined : await deriveCredential(user);
  const bounds: Bounds = { ...limits, ...options.bounds };
  const connections = new Connections(bounds);
  const context = createContext(options, () => connections.size);
  const server = createServer((socket) => {
    if (connections.isFull) socket.destroy();
    else serve(context, connections, credential, socket);
  });
  const stopUpkeep = startMaintenance(context, bounds, options.ttlSweepMs);
  const stop = (): void => {
    stopUpkeep();
    context.server.isStopped = true;
    context.transactions.abortAll();
    context.store.group.finish();
    connections.closeAll();
    context.store.close();
  };
  try {
    await listen(server, options.port ?? 0, options.host ?? "127.0.0.1");
  } catch (error) {
    stop();
    throw error;
  }
  const { address, port } = server.address() as AddressInfo;
  const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  return {
    uri: `mongodb://${user === undefined ? "" : `${user.user}:${user.password}@`}${hostAndPort(host, port)}/?replicaSet=${context.server.setName}`,
    host,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        stop();
      }),
  };
}

function createContext(options: ServerOptions, connectionCount: () => number): ServerContext {
  const failPoints = options.testCommands === true ? new FailPoints() : undefined;
  const faults = options.faults === undefined ? undefined : new RandomFaults(options.faults);
  const reportError = options.onError ?? (() => undefined);
  const store = new Store(options.dir, options.bounds?.redoBytesMax);
  store.onBackgroundError = reportError;
  return {
    store,
    cursors: new Cursors(),
    transactions: new Transactions(store),
    faultInjectors: [failPoints?.inject, faults?.inject].filter((one) => one !== undefined),
    server: {
      setName: options.setName ?? "embedded",
      version,
      startedAt: Date.now(),
      isStopped: false,
      connectionCount,
      counters: new Map(),
      failPoints,
      recentUpserts:
        faults === undefined ? undefined : new RecentUpserts(faults.missesRecentUpsert),
    },
    reportError,
  };
}

let lastConnectionId = 0;

function serve(
  context: ServerContext,
  connections: Connections,
  credential: Credential | undefined,
  socket: Socket,
): void {
  const authentication = new Authentication(credential, () => {
    connection.messageBytesMax = limits.messageBytesMax;
    connections.noteAuthenticated(connection);
  });
  const info = {
    id: ++lastConnectionId,
    address: addressOf(socket),
    client: { appName: undefined },
    authentication,
    close: () => connection.close(),
  };
  const messageBytesMax = authentication.isAllowed
    ? limits.messageBytesMax
    : limits.unauthenticatedMessageBytesMax;
  const connection: Connection = new Connection(socket, messageBytesMax, (message, answer) => {
    connections.noteMessage(connection);
    try {
      execute(context, info, message, answer);
    } catch (error) {
      // An unexpected error closes this connection only.
      context.reportError(error);
      connection.close();
    }
  });
  connections.add(connection, authentication.isAllowed);
  socket.once("close", () => connections.delete(connection));
}

function hostAndPort(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The address at which the client reached this server. The client can connect there again. */
function addressOf(socket: Socket): string {
  const address = (socket.localAddress ?? "127.0.0.1").replace(/^::ffff:/, "");
  return hostAndPort(address, socket.localPort ?? 0);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 512 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
