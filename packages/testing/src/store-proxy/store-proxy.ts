import { MongoClient } from "mongodb";
import { acceptConnections } from "./proxy-connections.ts";
import { isMeant, readWrite, type StoreWrite, type WritePattern } from "./store-write.ts";
import { racedWrites } from "./listed-writes.ts";
import { racingWriter } from "./racing-writer.ts";
import { addressIn, uriOf } from "./store-address.ts";
import { watchRaces } from "./watch-races.ts";
import { replyTo } from "./wire-message.ts";

/** The place of an interruption: the write has not reached the store, or its reply not the worker. */
export type Side = "before" | "after";

export interface Interruption {
  readonly side: Side;
  readonly pattern?: WritePattern;
  /** The number of the write among those that the pattern means, from 1. */
  readonly nth?: number;
}

/** A store between a worker and the real one, where a test acts in the middle of the worker's writes. */
export interface StoreProxy {
  /** The address for the worker under test. */
  readonly mongodbUri: string;
  /**
   * Acts once, while the write waits: a competing writer acts before the write, so it wins. Resolves
   * with the write once the act is done.
   */
  interrupt(interruption: Interruption, act: (write: StoreWrite) => unknown): Promise<StoreWrite>;
  /**
   * Lets the process die at the write: from then on none of its commands reaches the store, until
   * `revive`. Each fails at once as if the store were away. Resolves with the write.
   */
  kill(interruption: Interruption): Promise<StoreWrite>;
  revive(): void;
  /** Forgets interruptions that have not been reached. */
  forget(): void;
  /**
   * Lets another writer win before each write that depends on a record's version: the record has a
   * higher one when the write arrives. The next write of that record gets through. Answers how
   * many writes have lost so far.
   */
  loseVersionRaces(): () => number;
  close(): Promise<void>;
}

interface Planned extends Interruption {
  seen: number;
  readonly reach: (write: StoreWrite) => Promise<void>;
}

/** `mongodbUri` names the real store: the embedded one, or one server of a replica set. */
export async function startStoreProxy(mongodbUri: string): Promise<StoreProxy> {
  const planned = new Set<Planned>();
  const direct = await MongoClient.connect(mongodbUri);
  const racing = racingWriter(direct);
  const duringRace = watchRaces(direct, racedWrites);
  let isDead = false;

  async function reach(side: Side, write: StoreWrite): Promise<void> {
    for (const one of planned) {
      if (one.side !== side || !isMeant(write, one.pattern ?? {})) continue;
      one.seen += 1;
      if (one.seen !== (one.nth ?? 1)) continue;
      planned.delete(one);
      if (side === "before") await duringRace(write, async () => one.reach(write));
      else await one.reach(write);
    }
  }

  const connections = await acceptConnections(addressIn(mongodbUri), {
    before: async (command) => {
      const write = readWrite(command);
      if (write && !isDead) {
        await reach("before", write);
        if (racing.isStarted) await duringRace(write, async () => racing.beat(write));
      }
      return isDead && !isHandshake(command.command) ? dead(command.requestId) : "forward";
    },
    after: async (command) => {
      const write = readWrite(command);
      if (write && !isDead) await reach("after", write);
      return isDead && !isHandshake(command.command) ? dead(command.requestId) : "forward";
    },
  });

  async function interrupt(interruption: Interruption, act: (write: StoreWrite) => unknown) {
    return new Promise<StoreWrite>((resolve, reject) => {
      const reach = async (write: StoreWrite) =>
        Promise.resolve(write)
          .then(act)
          .then(() => resolve(write), reject);
      planned.add({ ...interruption, seen: 0, reach });
    });
  }

  return {
    mongodbUri: uriOf(mongodbUri, connections.port),
    interrupt,
    kill: async (interruption) =>
      interrupt(interruption, () => {
        isDead = true;
      }),
    revive: () => {
      isDead = false;
    },
    forget: () => planned.clear(),
    loseVersionRaces: () => {
      racing.start();
      return () => racing.count;
    },
    close: async () => {
      await connections.close();
      await direct.close();
    },
  };
}

/** The driver's own commands: they watch the server and log in. */
function isHandshake(command: string): boolean {
  return ["hello", "ismaster", "isMaster", "saslStart", "saslContinue"].includes(command);
}

/** An error that the driver does not retry, and that services take for an unknown outcome. */
function dead(requestId: number) {
  const code = { code: 50, codeName: "MaxTimeMSExpired" };
  return replyTo(requestId, { ok: 0, errmsg: "the process is dead to the store", ...code });
}
