import type { FastifyReply, FastifyRequest } from "fastify";

export type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

type AnswerStep = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
) => Promise<unknown>;

/** What must be true of a request before it is forwarded, in order. */
export interface Pipeline {
  /** Also on what no route answers. */
  readonly everywhere: readonly Step[];
  readonly beforeBody: readonly Step[];
  readonly afterBody: readonly Step[];
  readonly beforeAnswer: readonly AnswerStep[];
}
