import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";

/** "answered" if the step has answered the request, so that no later step runs. */
export type Outcome = "answered" | undefined;

/** Returns a promise only if it has to wait, because a promise costs every request. */
export type Step = (request: FastifyRequest, reply: FastifyReply) => Outcome | Promise<Outcome>;

/**
 * The steps of one audience, in the order in which they run. The public API has all of them:
 *
 * 1. identify, trace, observe, limit slow clients: for every request, also without a route (`app.ts`)
 * 2. `beforeBody`: take a place for the address, authenticate, take a place for the credential, limit
 *    the rate, refuse suspended businesses
 * 3. Fastify reads the body
 * 4. `afterBody`: claim the idempotency key
 * 5. forward to the service, wait for its answer
 * 6. `beforeAnyAnswer`: describe the limit of the address, if no other limit is described
 * 7. `beforeAnswer`: store the answer of the key
 *
 * Fastify runs the hooks of the app before those of a route, hence 6 before 7.
 */
export interface Pipeline {
  readonly beforeBody: readonly Step[];
  readonly afterBody: readonly Step[];
  readonly beforeAnswer: readonly onSendHookHandler[];
  /** These also run for requests that no route answers. */
  readonly beforeAnyAnswer: readonly onSendHookHandler[];
}
