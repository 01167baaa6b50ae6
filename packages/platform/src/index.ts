export { togetherEachTurn } from "./batching/index.ts";
export { encryptionKey, platformConfig, port, readConfig } from "./config/index.ts";
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
  type Refusal,
  replayDeadLetter,
} from "./consuming/index.ts";
export {
  callbackKeys,
  callbackToken,
  type Cipher,
  createCipher,
  type KeyRing,
  transactionOfToken,
} from "./crypto/index.ts";
export type { Log } from "./logging/index.ts";
export {
  type Counter,
  createCounter,
  createGauge,
  createHistogram,
  type Gauge,
  gaugeOnScrape,
  type Histogram,
  recently,
} from "./metrics/index.ts";
export {
  type Codes,
  dueFilter,
  dueIndex,
  duplicatesOf,
  ensureIndexes,
  insertTogether,
  isDuplicateKey,
  isStoreAway,
  linkCodeOf,
  newId,
  type Numbered,
  type Numbering,
  openCodes,
  openNumbering,
  type PageRequest,
  readPage,
  runningPart,
  secretCode,
  type Starting,
  together,
} from "./mongo/index.ts";
export { ensureStreams, streamStates } from "./nats/index.ts";
export {
  type Cause,
  countUnpublishedRecords,
  type EventfulCollection,
  type EventfulDocument,
  resendEvents,
  withoutEvents,
} from "./outbox/index.ts";
export {
  compareIndex,
  compareParkedIndex,
  compareStep,
  countComparedFromZero,
  countParked,
  listParked,
  parkedComparisons,
  parkedIndexOf,
  type ParkedPlace,
  retryParked,
  type Told,
} from "./reconciliation/index.ts";
export {
  type Changed,
  DuplicateRecord,
  type EntityOf,
  insertedRecord,
  type Made,
  newestFirst,
  openRecords,
  recordWithoutEvents,
  type Records,
  type Saved,
  savedRecord,
  updateRecord,
  VersionConflict,
} from "./records/index.ts";
export {
  type Answer,
  ask,
  type BusinessViews,
  changeRecord,
  type HandlersOf,
  listRecords,
  openBusinessViews,
  pagePolicy,
  request,
  type RequestContext,
  type RouteHandler,
  serveRoutes,
  showRecord,
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
export { inTime, TookTooLong } from "./timing/index.ts";
export { presentTrace, runInTrace, type Span, type Tracer } from "./tracing/index.ts";
