export { ask } from "./rpc/call-service.ts";
export type { RouteHandler } from "./rpc/answer-request.ts";
export type { HandlersOf } from "./rpc/handlers.ts";
export { type BusinessViews, openBusinessViews } from "./rpc/business-views.ts";
export { callbackKeys, callbackToken, transactionOfToken } from "./crypto/callback-token.ts";
export { type CallbackHandler, consumeCallbacks, publishCallback } from "./consuming/callbacks.ts";
export { type Cipher, createCipher, type KeyRing } from "./crypto/cipher.ts";
export { compareStep, countComparedFromZero, type Told } from "./reconciliation/reconcile.ts";
export {
  compareIndex,
  compareParkedIndex,
  parkedComparisons,
} from "./reconciliation/comparison.ts";
export { encryptionKey, platformConfig, port, readConfig } from "./config/config.ts";
export { type Codes, linkCodeOf, openCodes, secretCode } from "./mongo/codes.ts";
export {
  consumeEvents,
  type EventHandler,
  type EventHandlersOf,
  type Refusal,
} from "./consuming/consumer.ts";
export {
  countDeadLetters,
  type DeadLetter,
  listDeadLetters,
  replayDeadLetter,
} from "./consuming/dead-letters.ts";
export { ensureIndexes, type Starting } from "./mongo/ensure-indexes.ts";
export type { Cause, EventfulCollection, EventfulDocument } from "./outbox/event-document.ts";
export { dueFilter, dueIndex } from "./mongo/due.ts";
export { inTime, TookTooLong } from "./timing/with-timeout.ts";
export { type Counter, createCounter } from "./metrics/counter.ts";
export { createGauge, type Gauge, gaugeOnScrape } from "./metrics/gauge.ts";
export { createHistogram, type Histogram } from "./metrics/histogram.ts";
export { recently } from "./metrics/cached-lookup.ts";
export { newId } from "./mongo/new-id.ts";
export { insertTogether } from "./records/insert-together.ts";
export type { Log } from "./logging/log.ts";
export { duplicatesOf, isDuplicateKey, isStoreAway } from "./mongo/connection.ts";
export { pagePolicy } from "./rpc/page-policy.ts";
export { type Numbering, openNumbering, runningPart } from "./mongo/numbering.ts";
export type { BookDocument } from "./outbox/current-publisher.ts";
export { DuplicateRecord, VersionConflict } from "./records/record-errors.ts";
export {
  type EntityOf,
  type Made,
  newestFirst,
  openRecords,
  type Records,
  type Saved,
} from "./records/records.ts";
export {
  countParked,
  listParked,
  type ParkedPlace,
  parkedIndexOf,
  retryParked,
} from "./reconciliation/parked.ts";
export { type PageRequest, readPage } from "./mongo/paging.ts";
export { type Answer, request } from "./rpc/send-request.ts";
export type { RequestContext } from "./rpc/request-context.ts";
export { reportHealth } from "./service/report-health.ts";
export { resendEvents } from "./outbox/resend.ts";
export { defineService, type ServiceDefinition } from "./service/definition.ts";
export { runService, runServices } from "./service/run.ts";
export type { Changed } from "./records/save-many.ts";
export type { Numbered } from "./mongo/search.ts";
export { serveRoutes } from "./rpc/serve.ts";
export { openService, type Service, type Sources, sweepEvents } from "./service/service.ts";
export { ensureStreams } from "./nats/streams.ts";
export { ticketsAfter } from "./outbox/outbox-position.ts";
export { presentTrace, runInTrace } from "./tracing/current-trace.ts";
export type { Span, Tracer } from "./tracing/tracer.ts";
export { streamStates } from "./nats/streams.ts";
export { changeRecord, listRecords, showRecord } from "./rpc/crud-handlers.ts";
export { together, togetherEachTurn } from "./batching/together.ts";
export { inGroups } from "./batching/turn.ts";
