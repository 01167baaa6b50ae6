import { rpcSubject, type Operation } from "@malipo/contracts";
import { headers, type MsgHdrs } from "@nats-io/nats-core";
import type { Parcel } from "../consuming/event-batch.ts";
import { presentTrace } from "./current-trace.ts";
import type { Span, Tracer } from "./tracer.ts";

/** Where a message says in which trace it was sent, in the name W3C gave it. */
const traceHeader = "traceparent";

const system = { "messaging.system": "nats" } as const;

/** A request to a service, until its answer is there; part of what is being done. */
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
    parent: parent ?? presentTrace(),
    attributes: {
      ...system,
      "messaging.operation.name": "request",
      "messaging.operation.type": "send",
      "messaging.destination.name": subject,
    },
  });
}

/** A request in the service that answers it. */
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
  /** The trace in which it came about. */
  readonly traceparent?: string | undefined;
  /** Long after that: then it has a trace of its own. */
  readonly again?: boolean;
}

/** A message on its way onto a stream, until the stream has it. */
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

/**
 * A message in a consumer's hands, until its verdict. The first time it belongs to the trace in which
 * it was sent; what is delivered or replayed again begins a trace of its own, with a link to that.
 */
export function processSpan(
  tracer: Tracer | undefined,
  consumer: string,
  { message, size }: Parcel,
  item: { readonly id: string; readonly traceparent?: string | undefined },
): Span | undefined {
  if (!tracer) return undefined;
  // Of many in one message each says itself in which trace it was sent.
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
