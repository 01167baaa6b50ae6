import { codes, MongoError } from "../errors.ts";

const retryableCodes: ReadonlySet<number> = new Set([
  codes.HostUnreachable,
  7,
  89,
  codes.ShutdownInProgress,
  codes.PrimarySteppedDown,
  262,
  9001,
  codes.NotWritablePrimary,
  codes.InterruptedAtShutdown,
  codes.InterruptedDueToReplStateChange,
  codes.NotPrimaryNoSecondaryOk,
  codes.NotPrimaryOrSecondary,
]);

const transientCodes: ReadonlySet<number> = new Set([
  codes.LockTimeout,
  codes.WriteConflict,
  codes.NoSuchTransaction,
  246,
  ...retryableCodes,
]);

export type LabelContext = {
  readonly retryableWrite: boolean;
  readonly inTransaction: boolean;
  readonly endsTransaction: boolean;
};

/** Adds the labels that tell drivers which commands they may retry. */
export function addErrorLabels(error: MongoError, context: LabelContext): MongoError {
  const labels = new Set(error.labels);
  const { inTransaction, endsTransaction, retryableWrite } = context;
  if (inTransaction && !endsTransaction && transientCodes.has(error.code)) {
    labels.add("TransientTransactionError");
  }
  if ((retryableWrite || endsTransaction) && retryableCodes.has(error.code)) {
    labels.add("RetryableWriteError");
  }
  if (!inTransaction && !endsTransaction) labels.delete("TransientTransactionError");
  if (labels.size === error.labels.length && labels.size > 0) return error;
  const { errorLabels: _, ...extra } = error.extra;
  return new MongoError(error.code, error.message, {
    ...extra,
    ...(labels.size === 0 ? {} : { errorLabels: [...labels] }),
  });
}
