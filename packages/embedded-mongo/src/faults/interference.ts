import type { Document } from "../bson/values.ts";
import type { MongoError } from "../errors.ts";
import type { Prepared } from "../commands/prepare-call.ts";
import type { ConnectionFacts } from "../commands/command.ts";

/** What is done to a command besides running it. */
export type Interference = {
  readonly delayMs?: number;
  /** Cuts the connection instead of running, or instead of answering. */
  readonly cut?: "before" | "after";
  /** Answered instead of running. Its labels are final when `labelled`. */
  readonly error?: MongoError;
  readonly labelled?: boolean;
  /** Added to the answer of a command that ran. */
  readonly writeConcernError?: Document;
  readonly errorLabels?: readonly string[];
};

export type Interferer = (
  prepared: Prepared,
  connection: ConnectionFacts,
) => Interference | undefined;
