export { ask } from "./ask.ts";
export type { RouteHandler } from "./answer.ts";
export { type BusinessViews, openBusinessViews } from "./business-views.ts";
export { callbackKeys, callbackToken, transactionOfToken } from "./callback-token.ts";
export { type CallbackHandler, consumeCallbacks, publishCallback } from "./callbacks.ts";
export { type Cipher, createCipher, type KeyRing } from "./cipher.ts";
export { compareStep, countComparedFromZero, type Told } from "./compare.ts";
export { compareIndex, compareParkedIndex, parkedComparisons } from "./comparison.ts";
export { encryptionKey, platformConfig, port, readConfig } from "./config.ts";
export { type Codes, linkCodeOf, openCodes, secretCode } from "./codes.ts";
export { consumeEvents, type EventHandler, type Refusal } from "./consume.ts";
export {
  countDeadLetters,
  type DeadLetter,
  listDeadLetters,
  replayDeadLetter,
} from "./dead-letters.ts";
export { ensureIndexes, type Starting } from "./ensure-indexes.ts";
export type { Cause, EventfulCollection, EventfulDocument } from "./events.ts";
export { dueFilter, dueIndex } from "./due.ts";
export { inTime, TookTooLong } from "./in-time.ts";
export { type Counter, createCounter } from "./counter.ts";
export { createGauge, type Gauge, gaugeOnScrape } from "./gauge.ts";
export { createHistogram, type Histogram } from "./histogram.ts";
export { recently } from "./lookups.ts";
export { newId } from "./id.ts";
export { insertTogether } from "./insert-together.ts";
export type { Log } from "./log.ts";
export { duplicatesOf, isDuplicateKey, isStoreAway } from "./mongo.ts";
export { pagePolicy } from "./page-policy.ts";
export { type Numbering, openNumbering, runningPart } from "./numbering.ts";
export type { BookDocument } from "./present-book.ts";
export { DuplicateRecord, VersionConflict } from "./record-errors.ts";
export {
  type EntityOf,
  type Made,
  newestFirst,
  openRecords,
  type Records,
  type Saved,
} from "./records.ts";
export { countParked, listParked, type ParkedPlace, parkedIndexOf, retryParked } from "./parked.ts";
export { type PageRequest, readPage } from "./paging.ts";
export { type Answer, request } from "./request.ts";
export type { RequestContext } from "./request-context.ts";
export { reportHealth } from "./report-health.ts";
export { resendEvents } from "./resend.ts";
export { runService } from "./run.ts";
export type { Changed } from "./save-many.ts";
export type { Numbered } from "./search.ts";
export { serveRoutes } from "./serve.ts";
export { openService, type Service, sweepEvents } from "./service.ts";
export { ensureStreams } from "./streams.ts";
export { ticketsAfter } from "./ticket.ts";
export { presentTrace, runInTrace } from "./trace-scope.ts";
export type { Span, Tracer } from "./tracer.ts";
export { streamStates } from "./streams.ts";
export { changeRecord, listRecords, showRecord } from "./usual-handlers.ts";
export { together, togetherEachTurn } from "./together.ts";
export { inGroups } from "./turn.ts";
