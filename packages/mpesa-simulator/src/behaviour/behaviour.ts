import type { CallbackFacts, StkCallback } from "../daraja/callback.ts";
import type { ReplyName } from "../daraja/replies.ts";

/** What the merchant gets to read in answer to a request. */
export type PushAnswer =
  | { readonly kind: "accepted"; readonly slow?: boolean }
  | { readonly kind: "refused"; readonly responseCode: string }
  | {
      readonly kind: "reply";
      readonly reply: ReplyName;
      /** Every second request for the phone gets through. */
      readonly everySecondPasses?: boolean;
    }
  /** The connection closes without, or in the middle of, an answer, or stays open in silence. */
  | { readonly kind: "cut" }
  | { readonly kind: "torn" }
  | { readonly kind: "silence" };

/** A callback's body as text, when it is not the plain one. */
export type CallbackWriter = (callback: StkCallback, facts: CallbackFacts) => string;

export interface Delivery {
  /**
   * Before the request is answered; when the prompt has ended; `timing.lateMs` after that; or once
   * another prompt's callback has gone out.
   */
  readonly when: "early" | "ended" | "late" | "overtaken";
  /** Another result than the one the prompt has ended in. */
  readonly says?: string;
  /** Does not wait until the one before it has been answered. */
  readonly atOnce?: boolean;
  readonly write?: CallbackWriter;
  readonly address?: (url: string) => string;
}

export type QueryPlan =
  | { readonly kind: "truth" }
  /** Another result than the true one: from the prompt on and for a while, or after its end for good. */
  | { readonly kind: "says"; readonly result: string; readonly until: "a-while" | "ever" }
  | { readonly kind: "processing"; readonly until: "a-while" | "ever" }
  /** The other way to say the same: a finished query whose result is not finished. */
  | { readonly kind: "under-processing" }
  | { readonly kind: "reply"; readonly reply: ReplyName; readonly everySecondPasses?: boolean }
  | { readonly kind: "unknown-id" }
  | { readonly kind: "silence" };

/** Everything about one prompt that is decided beforehand. */
export interface Behaviour {
  readonly answer: PushAnswer;
  /** Whether the phone rings. An accepted request always rings it. */
  readonly prompts: boolean;
  /** What the prompt ends in; money has moved when this is "0", whatever callbacks and queries say. */
  readonly result: string;
  readonly deliveries: readonly Delivery[];
  readonly query: QueryPlan;
}

export const ended: Delivery = { when: "ended" };
export const again: Delivery = { when: "ended", atOnce: true };

const plain: Behaviour = {
  answer: { kind: "accepted" },
  prompts: true,
  result: "0",
  deliveries: [ended],
  query: { kind: "truth" },
};

export function behaviour(different: Partial<Behaviour>): Behaviour {
  return { ...plain, ...different };
}

export function unprompted(answer: PushAnswer): Behaviour {
  return behaviour({ answer, prompts: false, deliveries: [] });
}
