import { z } from "zod";
import { answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../http/reply.ts";
import { type Prompt, type PromptRecord, recordPrompt } from "../prompts/prompt.ts";
import type { Prompts } from "../prompts/prompts.ts";

const pageMax = 1_000;

const promptQuery = z.strictObject({
  phone: z.string().max(20).optional(),
  reference: z.string().max(20).optional(),
  /** The last checkout request id of the previous page. */
  after: z.string().max(128).optional(),
  limit: z.coerce.number().int().min(1).max(pageMax).default(pageMax),
});

/** The last part of a callback address is its token. With it, anybody could report a payment. */
function recordForListing(prompt: Prompt): PromptRecord {
  const record = recordPrompt(prompt);
  const { origin, pathname } = new URL(record.callbackurl);
  const path = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  return { ...record, callbackurl: `${origin}${path}•••` };
}

/** Lists all kept prompts, oldest first, in pages. */
export function listPrompts(prompts: Prompts): Handler {
  return ({ query }) => {
    const parsed = promptQuery.safeParse(Object.fromEntries(query));
    if (!parsed.success) {
      return answerWith(jsonReply(400, { error: z.prettifyError(parsed.error) }));
    }
    const { phone, reference, after, limit } = parsed.data;
    const all = prompts.all();
    const start = all.findIndex(({ checkoutRequestId }) => checkoutRequestId === after) + 1;
    if (after !== undefined && start === 0) {
      return answerWith(
        jsonReply(404, { error: "the prompt to go on after is not kept any more" }),
      );
    }
    const matching = all
      .slice(start)
      .filter(
        ({ request }) =>
          (phone === undefined || request.PhoneNumber === phone) &&
          (reference === undefined || request.AccountReference === reference),
      );
    return answerWith(
      jsonReply(200, {
        prompts: matching.slice(0, limit).map(recordForListing),
        more: matching.length > limit,
      }),
    );
  };
}
