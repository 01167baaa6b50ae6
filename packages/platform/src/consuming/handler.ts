import type {
  ConsumedEvent,
  ConsumerSettings,
  EventOf,
  EventPattern,
  ServiceName,
  StreamKey,
} from "@malipo/contracts";
import type { ReadEvent } from "./event-batch.ts";

/** An event that a handler could not process. It is retried, and dead-lettered after the last attempt. */
export interface HandlerFailure {
  /** The event's id. */
  readonly event: string;
  readonly reason: string;
}

/**
 * Applies a batch of events and returns those that failed. Events may come more than once, so a
 * handler is idempotent. After an error each event of the batch is tried alone.
 */
export type EventHandler<Pattern extends EventPattern = EventPattern> = (
  events: readonly EventOf<Pattern>[],
) => Promise<readonly HandlerFailure[]>;

/**
 * One handler for each pattern of events that a service's contract says it consumes. The compiler
 * refuses a table in which one is missing or takes other events.
 */
export type EventHandlersOf<Name extends ServiceName, Deps> = {
  readonly [Pattern in ConsumedEvent<Name>]: (deps: Deps) => EventHandler<Pattern>;
};

/** The event handlers of any service, after `EventHandlersOf` has checked each. */
export type EventHandlerTable<Deps> = Readonly<
  Record<string, (deps: Deps) => (events: never) => Promise<readonly HandlerFailure[]>>
>;

/** An event, or a provider's callback, which is consumed in the same way. */
export interface Identified {
  readonly id: string;
  /** The trace that the effects of the event belong to. */
  readonly traceparent?: string | undefined;
}

/** A durable consumer: its stream, how its messages are read, and their handler. */
export interface ConsumerDefinition<Event extends Identified> extends ConsumerSettings {
  /** The name of the durable, and the last token of the subject of its dead letters. */
  readonly name: string;
  readonly stream: StreamKey;
  readonly subject: string;
  readonly read: ReadEvent<Event>;
  readonly handle: (events: readonly Event[]) => Promise<readonly HandlerFailure[]>;
}
