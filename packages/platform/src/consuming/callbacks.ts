import {
  type CallbackMessage,
  callbackConsumer,
  callbackMessage,
  callbackSubject,
} from "@malipo/contracts";
import { jetstream } from "@nats-io/jetstream";
import { runConsumer, type Refusal } from "./consumer.ts";
import { publishSpan, traceHeaders } from "../tracing/message-spans.ts";
import type { Service } from "../service/service.ts";

const publishTimeoutMs = 4_000;

/** Resolves once the stream has it: only then may the provider be told that it was heard. */
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

/** Applies a batch of callbacks, harmlessly however often it comes. */
export type CallbackHandler = (
  callbacks: readonly CallbackMessage[],
) => Promise<readonly Refusal[]>;

export function consumeCallbacks(service: Service, handle: CallbackHandler): void {
  runConsumer(service, {
    ...callbackConsumer,
    stream: "callback",
    subject: `${service.config.NAMESPACE}.callback.>`,
    read: readCallback,
    handle,
  });
}

function readCallback(told: unknown): CallbackMessage | string {
  const read = callbackMessage.safeParse(told);
  return read.success ? read.data : "unreadable: no callback of ours";
}
