import type { Buffer } from "node:buffer";
import type { Document } from "../bson/values.ts";
import type { Cursors } from "../cursors.ts";
import type { Store } from "../storage/store.ts";
import type { FailPoints } from "../faults/fail-points.ts";
import type { RecentUpserts } from "../faults/recent-upserts.ts";
import type { Transactions } from "../transactions/transactions.ts";
import type { Deadline } from "./deadline.ts";
import type { CommandBody, Fields } from "./command-body.ts";
import type { RetryableWrite } from "./retryable-write.ts";

/** What a command may use. */
export type Call = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly transactions: Transactions;
  readonly server: ServerFacts;
  readonly connection: ConnectionFacts;
  readonly db: string;
  readonly body: CommandBody;
  /** Of a session that the client named, as a map key. */
  readonly session: string | undefined;
  readonly sessionId: Buffer | undefined;
  readonly transaction: bigint | undefined;
  readonly retryable: RetryableWrite | undefined;
  readonly deadline: Deadline;
  readonly now: Date;
};

export type ServerFacts = {
  readonly setName: string;
  readonly version: string;
  readonly startedAt: number;
  /** Nothing may touch the store any more. */
  stopped: boolean;
  readonly connectionCount: () => number;
  readonly counters: Map<string, number>;
  /** When the server was started with test commands. */
  readonly failPoints: FailPoints | undefined;
  /** When the server was started with faults. */
  readonly recentUpserts: RecentUpserts | undefined;
};

export type ConnectionFacts = {
  readonly id: number;
  /** The address the client reached the server at, which it can reach again. */
  readonly address: string;
  /** What the client said of itself. */
  readonly client: { appName: string | undefined };
  cut(): void;
};

/** A reply already written as BSON, or one to be written. */
export type Reply = Document | Buffer;

type CommandKind = "read" | "write" | "none";

export type Command = {
  readonly name: string;
  readonly fields: Fields;
  /** `write` commands join the group commit; `read` ones see the store and change nothing. */
  readonly kind: CommandKind | ((body: CommandBody) => CommandKind);
  readonly retryable?: true;
  readonly inTransactions?: true;
  readonly adminOnly?: true;
  /** Reads or writes in nothing but the collection that it names. */
  readonly withinOne?: true;
  /** Exists only when the server was started with test commands. */
  readonly testOnly?: true;
  /** Commits or aborts the transaction it is sent in. */
  readonly endsTransaction?: true;
  run(call: Call): Reply;
};
