const mebibyte = 1024 * 1024;

/** Every bound of the server in one place. */
export const limits = {
  documentBytesMax: 16 * mebibyte,
  messageBytesMax: 48_000_000,
  /** What all connections together may have sent of messages that are not whole yet. */
  receivedBytesMax: 512 * mebibyte,
  writeBatchMax: 100_000,
  nestingMax: 180,
  connectionsMax: 4_096,
  /** What all peers together may leave unread; who adds to more is given up. */
  unreadRepliesBytesMax: 256 * mebibyte,
  cursorsMax: 10_000,
  /** What all cursors together may hold of sorted documents. */
  cursorBytesMax: 256 * mebibyte,
  cursorIdleMs: 10 * 60_000,
  sessionIdleMs: 30 * 60_000,
  sessionsCachedMax: 10_000,
  /** A longer record of a session is read from disk when it is wanted. */
  sessionCachedBytesMax: 2_048,
  sortBytesMax: 100 * mebibyte,
  firstBatchDocuments: 101,
  indexesPerCollectionMax: 64,
  indexFieldsMax: 32,
  keysPerDocumentMax: 100_000,
  collectionsMax: 10_000,
  namespaceBytesMax: 255,
  transactionLifetimeMs: 60_000,
  transactionsMax: 1_000,
  /** What may be written while a transaction is open and remembered to keep its snapshot. */
  snapshotBytesMax: 64 * mebibyte,
  /** What a start may have to write again; beyond it SQLite commits. */
  redoBytesMax: 16 * mebibyte,
  /** What one group may have in the redo log; SQLite commits a larger one. */
  redoRecordBytesMax: 16 * mebibyte,
  writersWaitingMax: 1_000,
  ttlSweepMs: 60_000,
} as const;
