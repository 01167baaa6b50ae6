import type { Cursors } from "../cursors.ts";
import type { FaultInjector } from "../faults/injected-fault.ts";
import type { Store } from "../storage/store.ts";
import type { Transactions } from "../transactions/transactions.ts";
import type { ServerState } from "./command.ts";

/** The parts of the server that the commands of all connections share. */
export type ServerContext = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly transactions: Transactions;
  readonly server: ServerState;
  readonly faultInjectors: readonly FaultInjector[];
  /** Receives errors of the server itself, not those of requests. */
  readonly reportError: (error: unknown) => void;
};
