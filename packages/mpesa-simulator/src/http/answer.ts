import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Reply } from "./reply.ts";

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** Fields that let a reader find one request in `GET /requests`. */
export interface RequestSubject {
  readonly phone?: string;
  readonly reference?: string;
  readonly checkoutrequestid?: string;
}

/** The ways in which the server answers a request, or fails to. `GET /prompts` shows the kind. */
export type Answer = { readonly subject?: RequestSubject } & (
  | { readonly kind: "reply"; readonly reply: Reply; readonly headers?: Record<string, string> }
  /** The connection is closed before the response begins. */
  | { readonly kind: "cut" }
  /** The connection is closed in the middle of the response. */
  | { readonly kind: "torn"; readonly reply: Reply }
  /** The connection stays open without a response. */
  | { readonly kind: "silence" }
  | { readonly kind: "stream"; readonly attach: (response: ServerResponse) => void }
);

export type Handler = (request: ReceivedRequest) => Answer | Promise<Answer>;

export function answerWith(reply: Reply, subject?: RequestSubject): Answer {
  return { kind: "reply", reply, ...(subject && { subject }) };
}
