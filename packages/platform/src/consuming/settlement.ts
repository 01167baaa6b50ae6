import type { ConsumerTerms } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { publishDeadLetter } from "./dead-letters.ts";
import type { Parcel, Part } from "./event-batch.ts";
import { type Refusals, rememberRefusals } from "./failed-attempts.ts";
import type { Service } from "../service/service.ts";

const longestDelayMs = 60 * secondMs;
const handOverMs = 500;

/** How each thing that a message tells may end; the message has its verdict when all of them have. */
export interface Verdicts {
  done(part: Part<unknown>): void;
  refuse(part: Part<unknown>, reason: string, traceid?: string): Promise<void>;
  setAside(part: Part<unknown>, reason: string, traceid?: string): Promise<void>;
  /** Gives the message to another worker. */
  handOver(part: Part<unknown>): void;
  /** Of a message that comes again: true for what is done or set aside already. */
  passOver(part: Part<unknown>): boolean;
}

/** What has become of a message in hand. */
interface Progress {
  left: number;
  /** When what was refused is to come again; 0 when nothing was. */
  againMs: number;
  isSetAside: boolean;
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
  const refusals = rememberRefusals();
  const settle = settleWhole(refusals);

  function count(outcome: "done" | "refused" | "dead") {
    metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome });
  }

  async function setAside(part: Part<unknown>, reason: string, traceid?: string) {
    const { seq } = part.parcel.message;
    try {
      await publishDeadLetter(wire.nats, config.NAMESPACE, consumer, part, reason);
    } catch (error) {
      log.error({ err: error, consumer }, "dead letter not stored; tried again later");
      refusals.note(part, terms.refusalsMax);
      return settle(part, { againMs: longestDelayMs });
    }
    refusals.note(part, Infinity);
    count("dead");
    log.error({ consumer, seq, reason, trace_id: traceid }, "event set aside");
    settle(part, { isSetAside: true });
  }

  return {
    setAside,
    done: (part) => {
      count("done");
      settle(part);
    },
    refuse: async (part, reason, traceid) => {
      const refused = refusals.timesOf(part) + 1;
      if (refused >= terms.refusalsMax) return setAside(part, reason, traceid);
      refusals.note(part, refused);
      count("refused");
      const { seq } = part.parcel.message;
      log.warn({ consumer, seq, refused, reason, trace_id: traceid }, "event refused");
      settle(part, { againMs: refusalDelayOf(terms, refused) });
    },
    // A little later: at once it would come back into the pull that is just closing.
    handOver: ({ parcel }) => parcel.message.nak(handOverMs),
    passOver: (part) => {
      const isOver = refusals.isOver(part);
      if (isOver) settle(part);
      return isOver;
    },
  };
}

/** A message gets its verdict with the last thing that it tells. */
function settleWhole(refusals: Refusals) {
  const inHand = new WeakMap<Parcel, Progress>();

  function progressOf(parcel: Parcel): Progress {
    const known = inHand.get(parcel);
    const progress = known ?? { left: parcel.size, againMs: 0, isSetAside: false };
    if (!known) inHand.set(parcel, progress);
    return progress;
  }

  return function settle({ parcel }: Part<unknown>, { againMs = 0, isSetAside = false } = {}) {
    const { message } = parcel;
    const progress = progressOf(parcel);
    progress.left -= 1;
    progress.againMs = Math.max(progress.againMs, againMs);
    progress.isSetAside ||= isSetAside;
    if (progress.left > 0) return;
    refusals.noteTried(parcel);
    if (progress.againMs > 0) return message.nak(progress.againMs);
    refusals.forget(parcel);
    if (progress.isSetAside) message.term();
    else message.ack();
  };
}

export function refusalDelayOf({ refusalDelayMs }: ConsumerTerms, refusals: number): number {
  const bounded = Math.min(longestDelayMs, refusalDelayMs * 3 ** (refusals - 1));
  // The server takes a delay that is not whole for none at all.
  return Math.round(bounded / 2 + Math.random() * (bounded / 2));
}
