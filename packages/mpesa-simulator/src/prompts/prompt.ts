import type { SandboxMerchant } from "@malipo/contracts";
import type { Behaviour } from "../behaviour/behaviour.ts";
import type { PushRequest } from "../daraja/requests.ts";

interface SentCallback {
  readonly sentAt: Date;
  /** The result it told. */
  readonly says: string;
  readonly body: string;
  /** How it was answered; null when it was not. */
  status: number | null;
}

/** One time that a phone rang, from then to its end. */
export interface Prompt {
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly merchant: SandboxMerchant;
  readonly request: PushRequest;
  readonly behaviour: Behaviour;
  readonly promptedAt: Date;
  readonly callbacks: SentCallback[];
  queries: number;
  end: { readonly at: Date; readonly result: string; readonly receipt: string } | null;
}

/** A prompt as tests and tools see it. */
export interface PromptRecord {
  readonly checkoutrequestid: string;
  readonly merchantrequestid: string;
  readonly shortcode: string;
  readonly phone: string;
  readonly amount: number;
  readonly reference: string;
  readonly description: string;
  readonly callbackurl: string;
  readonly promptedat: Date;
  /** What the request was answered with: `accepted`, or how the answer went astray. */
  readonly answer: Behaviour["answer"]["kind"];
  /** Null while the prompt is open. */
  readonly result: string | null;
  readonly endedat: Date | null;
  /** Whether money has moved, which neither callbacks nor queries need to tell truly. */
  readonly paid: boolean;
  readonly receipt: string | null;
  readonly queries: number;
  readonly callbacks: readonly {
    readonly sentat: Date;
    readonly says: string;
    readonly body: string;
    readonly status: number | null;
  }[];
}

export function promptRecord(prompt: Prompt): PromptRecord {
  const { request, end } = prompt;
  const paid = end?.result === "0";
  return {
    checkoutrequestid: prompt.checkoutRequestId,
    merchantrequestid: prompt.merchantRequestId,
    shortcode: request.BusinessShortCode,
    phone: request.PhoneNumber,
    amount: request.Amount,
    reference: request.AccountReference,
    description: request.TransactionDesc,
    callbackurl: request.CallBackURL,
    promptedat: prompt.promptedAt,
    answer: prompt.behaviour.answer.kind,
    result: end?.result ?? null,
    endedat: end?.at ?? null,
    paid,
    receipt: paid ? end.receipt : null,
    queries: prompt.queries,
    callbacks: prompt.callbacks.map(({ sentAt, says, body, status }) => ({
      sentat: sentAt,
      says,
      body,
      status,
    })),
  };
}
