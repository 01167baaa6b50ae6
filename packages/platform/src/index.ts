export { together, togetherEachTurn } from "./batching/together.ts";
export { inGroups } from "./batching/turn.ts";
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
export { type Codes, linkCodeOf, openCodes, secretCode } from "./mongo/codes.ts";
export { duplicatesOf, isDuplicateKey, isStoreAway } from "./mongo/connection.ts";
export { dueFilter, dueIndex } from "./mongo/due.ts";
export { ensureIndexes, type Starting } from "./mongo/ensure-indexes.ts";
export { newId } from "./mongo/new-id.ts";
export { type Numbering, openNumbering, runningPart } from "./mongo/numbering.ts";
export { type PageRequest, readPage } from "./mongo/paging.ts";
export type { Numbered } from "./mongo/search.ts";
export { ensureStreams, streamStates } from "./nats/index.ts";
export type { BookDocument } from "./outbox/current-publisher.ts";
export type { Cause, EventfulCollection, EventfulDocument } from "./outbox/event-document.ts";
export { ticketsAfter } from "./outbox/outbox-position.ts";
export { resendEvents } from "./outbox/resend.ts";
export {
  compareIndex,
  compareParkedIndex,
  parkedComparisons,
} from "./reconciliation/comparison.ts";
export {
  countParked,
  listParked,
  parkedIndexOf,
  type ParkedPlace,
  retryParked,
} from "./reconciliation/parked.ts";
export { compareStep, countComparedFromZero, type Told } from "./reconciliation/reconcile.ts";
export { insertTogether } from "./records/insert-together.ts";
export { DuplicateRecord, VersionConflict } from "./records/record-errors.ts";
export {
  type EntityOf,
  type Made,
  newestFirst,
  openRecords,
  type Records,
  type Saved,
} from "./records/records.ts";
export type { Changed } from "./records/save-many.ts";
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
