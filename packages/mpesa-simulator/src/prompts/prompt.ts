import type { SandboxMerchant } from "@malipo/contracts";
import type { Behaviour } from "../behaviour/behaviour.ts";
import type { PushRequest } from "../daraja/requests.ts";

interface SentCallback {
  readonly sentAt: Date;
  readonly reportedResult: string;
  readonly body: string;
  /** The status of the response; null when there was none. */
  status: number | null;
}

/** One payment prompt on a phone. */
export interface Prompt {
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly merchant: SandboxMerchant;
  readonly request: PushRequest;
  readonly behaviour: Behaviour;
  readonly promptedAt: Date;
  readonly callbacks: SentCallback[];
  queryCount: number;
  /** Null while the prompt is open. */
  end: { readonly at: Date; readonly result: string; readonly receipt: string } | null;
}

/** A prompt as tests and `GET /prompts` see it. */
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
  /** How the request was answered: `accepted`, or the fault of the answer. */
  readonly answer: Behaviour["answer"]["kind"];
  /** Null while the prompt is open. */
  readonly result: string | null;
  readonly endedat: Date | null;
  /** Whether money has moved. Callbacks and queries may report something else. */
  readonly paid: boolean;
  readonly receipt: string | null;
  /** The number of status queries. */
  readonly queries: number;
  readonly callbacks: readonly {
    readonly sentat: Date;
    /** The result that the callback reported. */
    readonly says: string;
    readonly body: string;
    readonly status: number | null;
  }[];
}

export function recordPrompt(prompt: Prompt): PromptRecord {
  const { request, end } = prompt;
  const isPaid = end?.result === "0";
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
    paid: isPaid,
    receipt: isPaid ? end.receipt : null,
    queries: prompt.queryCount,
    callbacks: prompt.callbacks.map(({ sentAt, reportedResult, body, status }) => ({
      sentat: sentAt,
      says: reportedResult,
      body,
      status,
    })),
  };
}
