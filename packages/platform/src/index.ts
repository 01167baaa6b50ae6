export type { RouteHandler, RouteRequest } from "./answer.ts";
export { ConfigError, platformConfig, port, readConfig } from "./config.ts";
export { consumeEvents, type EventHandler } from "./consume.ts";
export { type DeadLetter, listDeadLetters, replayDeadLetter } from "./dead-letters.ts";
export {
  appendEvents,
  eventful,
  type EventFields,
  type EventfulCollection,
  type EventfulDocument,
  firstEvents,
  type NewEvent,
  unpublishedIndex,
} from "./events.ts";
export type { Log } from "./log.ts";
export { ensureIndexes, isDuplicateKey, isStoreAway, type Store } from "./mongo.ts";
export { readPage } from "./paging.ts";
export type { Relay } from "./relay.ts";
export { type Answer, request } from "./request.ts";
export { resendEvents } from "./resend.ts";
export type { RequestContext } from "./request-context.ts";
export { serveRoutes } from "./serve.ts";
export { openService, type Service, sweepEvents } from "./service.ts";
export { stopOnSignals } from "./shutdown.ts";
