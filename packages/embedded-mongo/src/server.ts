import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { execute } from "./commands/execute.ts";
import type { Surroundings } from "./commands/execute.ts";
import { Cursors } from "./cursors.ts";
import { FailPoints } from "./faults/fail-points.ts";
import { Faults } from "./faults/faults.ts";
import type { FaultOptions } from "./faults/faults.ts";
import { RecentUpserts } from "./faults/recent-upserts.ts";
import { limits } from "./limits.ts";
import { Store } from "./storage/store.ts";
import { Transactions } from "./transactions/transactions.ts";
import { startUpkeep } from "./upkeep.ts";
import type { IdleBounds } from "./upkeep.ts";
import { Connection } from "./wire/connection.ts";

export type ServerOptions = {
  /** The folder that holds the data; it is created when it does not exist. */
  readonly dir: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** The default is loopback only. */
  readonly host?: string;
  readonly setName?: string;
  /** Offers `configureFailPoint`, as MongoDB does with enableTestCommands. */
  readonly testCommands?: boolean;
  /** Does what a replica set does now and then; for tests. */
  readonly faults?: FaultOptions;
  /** Bounds other than the usual ones. */
  readonly bounds?: Partial<Bounds>;
  /** How often documents past their time are removed; 0 for never. */
  readonly ttlSweepMs?: number;
  /** Hears of errors that are this server's own. */
  readonly onError?: (error: unknown) => void;
};

export type EmbeddedMongo = {
  readonly uri: string;
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
};

/** What drivers are told: the release whose behaviour this server follows. */
const version = "7.0.0";

type Bounds = IdleBounds & {
  readonly connectionsMax: number;
  readonly redoBytesMax: number;
};

export async function startEmbeddedMongo(options: ServerOptions): Promise<EmbeddedMongo> {
  const connections = new Set<Connection>();
  const around = surroundings(options, () => connections.size);
  const bounds: Bounds = { ...limits, ...options.bounds };
  const server = createServer((socket) => {
    if (connections.size >= bounds.connectionsMax) socket.destroy();
    else serve(around, connections, socket);
  });
  const stopUpkeep = startUpkeep(around, bounds, options.ttlSweepMs);
  const stop = (): void => {
    stopUpkeep();
    around.server.stopped = true;
    around.transactions.abortAll();
    around.store.group.finish();
    for (const connection of connections) connection.close();
    around.store.close();
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
    uri: `mongodb://${hostAndPort(host, port)}/?replicaSet=${around.server.setName}`,
    host,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        stop();
      }),
  };
}

function surroundings(options: ServerOptions, connectionCount: () => number): Surroundings {
  const failPoints = options.testCommands === true ? new FailPoints() : undefined;
  const faults = options.faults === undefined ? undefined : new Faults(options.faults);
  const report = options.onError ?? (() => undefined);
  const store = new Store(options.dir, options.bounds?.redoBytesMax);
  store.report = report;
  return {
    store,
    cursors: new Cursors(),
    transactions: new Transactions(store),
    interferers: [failPoints?.interfere, faults?.interfere].filter((one) => one !== undefined),
    server: {
      setName: options.setName ?? "embedded",
      version,
      startedAt: Date.now(),
      stopped: false,
      connectionCount,
      counters: new Map(),
      failPoints,
      recentUpserts: faults === undefined ? undefined : new RecentUpserts(faults.upsertMisses),
    },
    report,
  };
}

let lastConnectionId = 0;

function serve(around: Surroundings, connections: Set<Connection>, socket: Socket): void {
  const facts = {
    id: ++lastConnectionId,
    address: addressOf(socket),
    client: { appName: undefined },
    cut: () => connection.close(),
  };
  const connection: Connection = new Connection(socket, (message, answer) => {
    try {
      execute(around, facts, message, answer);
    } catch (error) {
      // Whatever one client's message does, the others go on.
      around.report(error);
      connection.close();
    }
  });
  connections.add(connection);
  socket.once("close", () => connections.delete(connection));
}

function hostAndPort(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** As the client sees this server: where it connected to, which it can do again. */
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
