import { rpcSubject, type Operation } from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { currentTrace } from "./current-trace.ts";
import type { Span, Tracer } from "./tracer.ts";

/** The header with the trace of a message, under its W3C name. */
const traceHeader = "traceparent";

const system = { "messaging.system": "nats" } as const;

/** A request to another service, until its reply arrives. It belongs to the current trace. */
export function requestSpan(
  tracer: Tracer | undefined,
  namespace: string,
  operation: Operation,
  parent: string | undefined,
): Span | undefined {
  if (!tracer) return undefined;
  const subject = rpcSubject(namespace, operation);
  return tracer.start({
    name: `request ${subject}`,
    kind: "producer",
    parent: parent ?? currentTrace(),
    attributes: {
      ...system,
      "messaging.operation.name": "request",
      "messaging.operation.type": "send",
      "messaging.destination.name": subject,
    },
  });
}

/** A request in the service that answers it, until its reply is sent. */
export function answerSpan(
  tracer: Tracer | undefined,
  namespace: string,
  operation: Operation,
  { requestid, traceparent: parent }: { requestid: string; traceparent?: string | undefined },
): Span | undefined {
  if (!tracer) return undefined;
  const subject = rpcSubject(namespace, operation);
  return tracer.start({
    name: `process ${subject}`,
    kind: "consumer",
    parent,
    attributes: {
      ...system,
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": subject,
      "malipo.request.id": requestid,
    },
  });
}

export function traceHeaders({ traceparent }: Span): MsgHdrs {
  const written = headers();
  written.set(traceHeader, traceparent);
  return written;
}

interface Publication {
  readonly subject: string;
  readonly id: string;
  /** The trace of the change that caused the message. */
  readonly traceparent?: string | undefined;
  /** True for a later publication: it begins its own trace, with a link to that of the change. */
  readonly again?: boolean;
}

/** A message that is published to a stream, until the stream has acknowledged it. */
export function publishSpan(
  tracer: Tracer | undefined,
  { subject, id, traceparent, again = false }: Publication,
): Span | undefined {
  return tracer?.start({
    name: `publish ${subject}`,
    kind: "producer",
    ...(again ? { link: traceparent } : { parent: traceparent }),
    attributes: {
      ...system,
      "messaging.operation.name": "publish",
      "messaging.operation.type": "send",
      "messaging.destination.name": subject,
      "messaging.message.id": id,
    },
  });
}

/** A message of a stream, and the number of events in it. */
interface ReceivedMessage {
  readonly message: JsMsg;
  readonly size: number;
}

/**
 * An event that a consumer processes, until it is settled. The first delivery belongs to the trace
 * that sent it. A redelivered or replayed event begins its own trace, with a link to that one.
 */
export function processSpan(
  tracer: Tracer | undefined,
  consumer: string,
  { message, size }: ReceivedMessage,
  item: { readonly id: string; readonly traceparent?: string | undefined },
): Span | undefined {
  if (!tracer) return undefined;
  // A message with several events has no trace; each event carries one.
  const sent = message.headers?.get(traceHeader) || (size > 1 ? item.traceparent : undefined);
  const deliveries = message.info.deliveryCount;
  const isFirst = sent !== undefined && deliveries === 1;
  return tracer.start({
    name: `process ${message.subject}`,
    kind: "consumer",
    ...(isFirst ? { parent: sent } : { link: sent ?? item.traceparent }),
    attributes: {
      ...system,
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": message.subject,
      "messaging.consumer.group.name": consumer,
      "messaging.message.id": item.id,
      "malipo.deliveries": deliveries,
    },
  });
}
