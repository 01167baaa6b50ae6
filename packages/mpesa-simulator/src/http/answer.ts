import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Reply } from "../daraja/replies.ts";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** What a request is about, for whoever looks at the list of requests later. */
export interface About {
  readonly phone?: string;
  readonly reference?: string;
  readonly checkoutrequestid?: string;
}

export type Answer = { readonly about?: About } & (
  | { readonly kind: "reply"; readonly reply: Reply; readonly headers?: Record<string, string> }
  /** The connection is closed without an answer, in the middle of one, or left open in silence. */
  | { readonly kind: "cut" }
  | { readonly kind: "torn"; readonly reply: Reply }
  | { readonly kind: "silence" }
  | { readonly kind: "stream"; readonly attach: (response: ServerResponse) => void }
);

export type Handler = (received: Received) => Answer | Promise<Answer>;

export function answerWith(reply: Reply, about?: About): Answer {
  return { kind: "reply", reply, ...(about && { about }) };
}
