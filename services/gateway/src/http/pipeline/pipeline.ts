import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";

/** Whether a step has answered the request itself, so that nothing comes after it. */
export type Outcome = "answered" | undefined;

/** At once where it can, so that only those who have to wait do. */
export type Step = (request: FastifyRequest, reply: FastifyReply) => Outcome | Promise<Outcome>;

/** What must be true of a request before it is forwarded, in order. */
export interface Pipeline {
  readonly beforeBody: readonly Step[];
  readonly afterBody: readonly Step[];
  readonly beforeAnswer: readonly onSendHookHandler[];
  /** Also of what no route answers. */
  readonly beforeAnyAnswer: readonly onSendHookHandler[];
}
