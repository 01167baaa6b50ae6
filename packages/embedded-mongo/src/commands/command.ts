import type { Buffer } from "node:buffer";
import type { Authentication } from "../authentication/authentication.ts";
import type { Document } from "../document-codec.ts";
import type { Cursors } from "../cursors.ts";
import type { Store } from "../storage/store.ts";
import type { FailPoints } from "../faults/fail-points.ts";
import type { RecentUpserts } from "../faults/recent-upserts.ts";
import type { Transactions } from "../transactions/transactions.ts";
import type { Deadline } from "../deadline.ts";
import type { CommandBody, Fields } from "./command-body.ts";
import type { RetryableWrite } from "./write/retryable-write.ts";

/** One call of a command, with the parts of the server that it uses. */
export type Call = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly transactions: Transactions;
  readonly server: ServerState;
  readonly connection: ConnectionInfo;
  readonly db: string;
  readonly body: CommandBody;
  /** The id of the session as a map key, if the client named a session. */
  readonly session: string | undefined;
  readonly sessionId: Buffer | undefined;
  readonly transaction: bigint | undefined;
  readonly retryable: RetryableWrite | undefined;
  readonly deadline: Deadline;
  readonly now: Date;
};

export type ServerState = {
  readonly setName: string;
  readonly version: string;
  readonly startedAt: number;
  /** The server is stopping. Commands must not use the store any more. */
  isStopped: boolean;
  readonly connectionCount: () => number;
  readonly counters: Map<string, number>;
  /** Defined if the server was started with test commands. */
  readonly failPoints: FailPoints | undefined;
  /** Defined if the server was started with faults. */
  readonly recentUpserts: RecentUpserts | undefined;
};

export type ConnectionInfo = {
  readonly id: number;
  /** The address at which the client reached the server. */
  readonly address: string;
  /** Facts that the client reported in its handshake. */
  readonly client: { appName: string | undefined };
  readonly authentication: Authentication;
  close(): void;
};

/** A reply as BSON, or as a document to be encoded. */
export type Reply = Document | Buffer;

type CommandKind = "read" | "write" | "none";

export type Command = {
  readonly name: string;
  readonly fields: Fields;
  /**
   * `write` commands join the commit group. `read` commands see the store and change nothing.
   * `none` is for all other commands.
   */
  readonly kind: CommandKind | ((body: CommandBody) => CommandKind);
  readonly retryable?: true;
  readonly allowedInTransactions?: true;
  readonly adminOnly?: true;
  /** Any client may run it, also one that has not authenticated. */
  readonly beforeAuthentication?: true;
  /** Uses only the collection that the command names. */
  readonly usesOneCollection?: true;
  /** Exists only when the server was started with test commands. */
  readonly testOnly?: true;
  /** Commits or aborts the transaction it is sent in. */
  readonly endsTransaction?: true;
  run(call: Call): Reply;
};
