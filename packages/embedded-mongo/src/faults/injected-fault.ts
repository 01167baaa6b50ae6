import type { Document } from "../document-codec.ts";
import type { MongoError } from "../errors.ts";

/** The fault that is injected into one command. */
export type InjectedFault = {
  readonly delayMs?: number;
  /** Closes the connection before the command runs, or after it ran and before the reply. */
  readonly closeConnection?: "before" | "after";
  /** The reply instead of running. `hasFinalLabels`: its error labels are not recomputed. */
  readonly error?: MongoError;
  readonly hasFinalLabels?: boolean;
  /** Added to the reply of a command that ran. */
  readonly writeConcernError?: Document;
  readonly errorLabels?: readonly string[];
};

/** The facts about a command that decide whether a fault is injected. */
type TargetCommand = {
  readonly command: {
    readonly name: string;
    readonly retryable?: true;
    readonly endsTransaction?: true;
  };
  readonly body: { readonly path: string; has(field: string): boolean };
  readonly inTransaction: boolean;
};

type TargetConnection = { readonly client: { readonly appName: string | undefined } };

export type FaultInjector = (
  target: TargetCommand,
  connection: TargetConnection,
) => InjectedFault | undefined;
