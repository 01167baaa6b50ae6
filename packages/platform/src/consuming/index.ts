export { type CallbackHandler, consumeCallbacks, publishCallback } from "./callbacks.ts";
export { consumeEvents } from "./consumer.ts";
export {
  countDeadLetters,
  type DeadLetter,
  listDeadLetters,
  replayDeadLetter,
} from "./dead-letters.ts";
export type { EventHandler, EventHandlersOf, HandlerFailure } from "./handler.ts";
