export { batchCallsPerTick } from "./batching/index.ts";
export { encryptionKeyVariable, platformConfig, portVariable, readConfig } from "./config/index.ts";
export {
  type CallbackHandler,
  consumeCallbacks,
  consumeEvents,
  countDeadLetters,
  type DeadLetter,
  type EventHandler,
  type EventHandlersOf,
  listDeadLetters,
  publishCallback,
  type HandlerFailure,
  replayDeadLetter,
} from "./consuming/index.ts";
export {
  callbackKeys,
  createCallbackToken,
  type Cipher,
  createCipher,
  type KeyRing,
  verifyCallbackToken,
} from "./crypto/index.ts";
export {
  createFairQueue,
  createShare,
  type FairQueue,
  type Share,
  type Turn,
} from "./fair-queue/index.ts";
export type { Log } from "./logging/index.ts";
export {
  type Counter,
  createCounter,
  createGauge,
  createHistogram,
  type Gauge,
  gaugeOnScrape,
  type Histogram,
  cacheLookup,
} from "./metrics/index.ts";
export {
  type Codes,
  dueFilter,
  dueIndex,
  duplicatesOf,
  ensureIndexes,
  batchInserts,
  isDuplicateKey,
  isStoreAway,
  drawLinkCode,
  newId,
  type Numbered,
  type Numbering,
  openCodes,
  openNumbering,
  type PageRequest,
  readPage,
  runningPart,
  drawSecretCode,
  type StartContext,
  batchCommands,
} from "./mongo/index.ts";
export { ensureStreams, findStreamReplicas } from "./nats/index.ts";
export {
  type Cause,
  countUnpublishedRecords,
  type EventfulCollection,
  type EventfulDocument,
  resendEvents,
  withoutEvents,
} from "./outbox/index.ts";
export {
  reconciliationIndex,
  parkedReconciliationIndex,
  reconcileStep,
  startReconciliationCounters,
  countParked,
  listParked,
  parkedReconciliations,
  parkedIndexOf,
  type ParkedPlace,
  retryParked,
  type ReconciledEvent,
} from "./reconciliation/index.ts";
export {
  type RecordChange,
  DuplicateRecord,
  type EntityOf,
  insertedRecord,
  isApplied,
  type NewRecord,
  newestFirstIndex,
  openRecords,
  recordWithoutEvents,
  type Records,
  type StoredRecord,
  savedRecord,
  updateRecord,
  VersionConflict,
} from "./records/index.ts";
export {
  type ServiceReply,
  callService,
  type BusinessViews,
  createUpdateHandler,
  type HandlersOf,
  createListHandler,
  openBusinessViews,
  contentSecurityPolicy,
  sendRequest,
  type RequestContext,
  type RouteHandler,
  serveRoutes,
  createGetHandler,
} from "./rpc/index.ts";
export {
  defineService,
  openService,
  reportHealth,
  runService,
  runServices,
  type Service,
  type ServiceDefinition,
  type Sources,
  sweepEvents,
} from "./service/index.ts";
export { withTimeout, TimedOut } from "./timing/index.ts";
export { currentTrace, runInTrace, type Span, type Tracer } from "./tracing/index.ts";
