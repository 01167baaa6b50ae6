import type { CallbackFacts, StkCallback } from "../daraja/callback.ts";
import type { ReplyName } from "../daraja/replies.ts";

/** How a payment request is answered. */
export type PushAnswer =
  | { readonly kind: "accepted"; readonly slow?: boolean }
  | { readonly kind: "refused"; readonly responseCode: string }
  | {
      readonly kind: "reply";
      readonly reply: ReplyName;
      /** Every second request for the phone is accepted. */
      readonly everySecondPasses?: boolean;
    }
  /** As in `Answer`: closed before the response, closed in the middle of it, and no response. */
  | { readonly kind: "cut" }
  | { readonly kind: "torn" }
  | { readonly kind: "silence" };

/** Writes a callback's body. */
export type CallbackBody = (callback: StkCallback, facts: CallbackFacts) => string;

export interface PlannedCallback {
  /**
   * `early`: before the request is answered. `ended`: when the prompt has ended. `late`:
   * `timing.lateMs` after that. `overtaken`: after the callback of another prompt, and at the latest
   * `timing.lateMs` after the end.
   */
  readonly when: "early" | "ended" | "late" | "overtaken";
  /** The result that the callback reports, if not the result of the prompt. */
  readonly reportedResult?: string;
  /** Is sent without waiting for the response to the previous callback. */
  readonly isConcurrent?: boolean;
  /** Writes the body, if it differs from the plain one. */
  readonly writeBody?: CallbackBody;
  /** Changes the address that the merchant gave. */
  readonly changeAddress?: (url: string) => string;
}

/** A temporary fault of a query ends `timing.processingMs` after the prompt. */
type QueryFaultDuration = "temporary" | "permanent";

/** How a status query for the prompt is answered. */
export type QueryAnswer =
  | { readonly kind: "true-result" }
  /** A permanent false result is reported from the end of the prompt on, a temporary one at once. */
  | {
      readonly kind: "false-result";
      readonly result: string;
      readonly duration: QueryFaultDuration;
    }
  /** An error that says that the transaction is being processed. */
  | { readonly kind: "processing-error"; readonly duration: QueryFaultDuration }
  /** The other form of the same: a successful query with result 4999, temporary. */
  | { readonly kind: "processing-result" }
  | { readonly kind: "reply"; readonly reply: ReplyName; readonly everySecondPasses?: boolean }
  | { readonly kind: "unknown-id" }
  | { readonly kind: "silence" };

/** How one payment request goes, decided in full when it is received. */
export interface Behaviour {
  readonly answer: PushAnswer;
  /** Whether the phone is prompted. An accepted request always prompts it. */
  readonly isPrompted: boolean;
  /** The true result of the prompt. Money moves only with "0". Callbacks and queries may report another result. */
  readonly result: string;
  readonly callbacks: readonly PlannedCallback[];
  readonly query: QueryAnswer;
}

export const callbackAtEnd: PlannedCallback = { when: "ended" };
export const concurrentCallback: PlannedCallback = { when: "ended", isConcurrent: true };

const paidWithoutFault: Behaviour = {
  answer: { kind: "accepted" },
  isPrompted: true,
  result: "0",
  callbacks: [callbackAtEnd],
  query: { kind: "true-result" },
};

export function buildBehaviour(overrides: Partial<Behaviour>): Behaviour {
  return { ...paidWithoutFault, ...overrides };
}

export function buildUnprompted(answer: PushAnswer): Behaviour {
  return buildBehaviour({ answer, isPrompted: false, callbacks: [] });
}
