const mebibyte = 1024 * 1024;

/** Every bound of the server in one place. */
export const limits = {
  documentBytesMax: 16 * mebibyte,
  messageBytesMax: 48_000_000,
  /** Bytes of incomplete messages, over all connections. */
  receivedBytesMax: 512 * mebibyte,
  writeBatchMax: 100_000,
  nestingMax: 180,
  connectionsMax: 4_096,
  /** Connections that have not authenticated. Each client of a driver keeps one for its monitor. */
  unauthenticatedConnectionsMax: 1_024,
  /** Largest message of a client that has not authenticated. A handshake takes less than 2 KiB. */
  unauthenticatedMessageBytesMax: 16 * 1_024,
  /**
   * Bytes of replies that clients have not read, over all connections. The connection that exceeds
   * the limit is closed.
   */
  unreadRepliesBytesMax: 256 * mebibyte,
  cursorsMax: 10_000,
  /** Bytes of sorted documents that all cursors hold together. */
  cursorBytesMax: 256 * mebibyte,
  cursorIdleMs: 10 * 60_000,
  sessionIdleMs: 30 * 60_000,
  sessionsCachedMax: 10_000,
  /** Larger session records are not cached; they are read from disk when needed. */
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
  /** Bytes of previous document versions kept for the snapshots of open transactions. */
  snapshotBytesMax: 64 * mebibyte,
  /** Bytes in the redo log at which SQLite commits. This bounds the replay at start. */
  redoBytesMax: 16 * mebibyte,
  /** Bytes of one group in the redo log. A larger group ends with a commit of SQLite. */
  redoRecordBytesMax: 16 * mebibyte,
  writersWaitingMax: 1_000,
  ttlSweepMs: 60_000,
} as const;
