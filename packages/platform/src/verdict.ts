import type { ConsumerTerms } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import type { JsMsg } from "@nats-io/jetstream";
import { publishDeadLetter } from "./dead-letters.ts";
import type { Service } from "./service.ts";

const longestDelayMs = 60 * secondMs;
/** Messages that another worker finished meanwhile are forgotten in time. */
const rememberedMax = 10_000;

/** How a message may end: done, refused for now, or set aside for a person to look at. */
export interface Verdicts {
  done(message: JsMsg): void;
  refuse(message: JsMsg, reason: string, traceid?: string): Promise<void>;
  setAside(message: JsMsg, reason: string, traceid?: string): Promise<void>;
}

/**
 * Only the handler's own refusals count against a message. JetStream's count of deliveries also
 * grows by crashes and pauses, which say nothing about the message.
 */
export function createVerdicts(
  service: Service,
  terms: ConsumerTerms & { readonly name: string },
): Verdicts {
  const { log, metrics, wire, config } = service;
  const consumer = terms.name;
  const refusals = new Map<number, number>();

  async function setAside(message: JsMsg, reason: string, traceid?: string) {
    try {
      await publishDeadLetter(wire.nats, config.NAMESPACE, consumer, message, reason);
    } catch (error) {
      log.error({ err: error, consumer }, "dead letter not stored; tried again later");
      return message.nak(longestDelayMs);
    }
    message.term();
    refusals.delete(message.seq);
    metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "dead" });
    log.error({ consumer, seq: message.seq, reason, trace_id: traceid }, "event set aside");
  }

  return {
    setAside,
    done: (message) => {
      message.ack();
      refusals.delete(message.seq);
      metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "done" });
    },
    refuse: async (message, reason, traceid) => {
      const refused = (refusals.get(message.seq) ?? 0) + 1;
      if (refused >= terms.refusalsMax) return setAside(message, reason, traceid);
      const [oldest] = refusals.keys();
      if (refusals.size >= rememberedMax && oldest !== undefined) refusals.delete(oldest);
      refusals.set(message.seq, refused);
      metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "refused" });
      const line = { consumer, seq: message.seq, refused, reason, trace_id: traceid };
      log.warn(line, "event refused");
      message.nak(refusalDelayOf(terms, refused));
    },
  };
}

export function refusalDelayOf({ refusalDelayMs }: ConsumerTerms, refusals: number): number {
  const bounded = Math.min(longestDelayMs, refusalDelayMs * 3 ** (refusals - 1));
  // The server takes a delay that is not whole for none at all.
  return Math.round(bounded / 2 + Math.random() * (bounded / 2));
}
