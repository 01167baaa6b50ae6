import {
  type CallbackMessage,
  callbackConsumer,
  callbackMessage,
  callbackSubject,
} from "@malipo/contracts";
import { jetstream } from "@nats-io/jetstream";
import type { Service } from "../service/index.ts";
import { publishSpan, traceHeaders } from "../tracing/index.ts";
import { runConsumer } from "./consumer.ts";
import type { HandlerFailure } from "./handler.ts";

const publishTimeoutMs = 4_000;

/** Resolves when the stream has stored the callback; only then may the provider get its answer. */
export async function publishCallback(
  { wire, config, tracer }: Pick<Service, "wire" | "config" | "tracer">,
  message: CallbackMessage,
): Promise<void> {
  const stream = jetstream(wire.nats, { timeout: publishTimeoutMs });
  const subject = callbackSubject(config.NAMESPACE, message.provider);
  const { id, traceparent } = message;
  const span = publishSpan(tracer, { subject, id, traceparent });
  try {
    await stream.publish(subject, JSON.stringify(message), {
      msgID: id,
      ...(span && { headers: traceHeaders(span) }),
    });
    span?.end();
  } catch (error) {
    span?.end({ problem: "not acknowledged" });
    throw error;
  }
}

/** Applies a batch of callbacks and returns those that failed. Callbacks may come more than once. */
export type CallbackHandler = (
  callbacks: readonly CallbackMessage[],
) => Promise<readonly HandlerFailure[]>;

export function consumeCallbacks(service: Service, handle: CallbackHandler): void {
  runConsumer(service, {
    ...callbackConsumer,
    stream: "callback",
    subject: `${service.config.NAMESPACE}.callback.>`,
    read: readCallback,
    handle,
  });
}

function readCallback(raw: unknown): CallbackMessage | string {
  const read = callbackMessage.safeParse(raw);
  return read.success ? read.data : "unreadable: not a callback of this system";
}
