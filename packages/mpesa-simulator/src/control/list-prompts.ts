import { z } from "zod";
import { answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../daraja/replies.ts";
import { promptRecord } from "../prompts/prompt.ts";
import type { Prompts } from "../prompts/prompts.ts";

const pageMax = 1_000;

const filter = z.strictObject({
  phone: z.string().max(20).optional(),
  reference: z.string().max(20).optional(),
  /** The last checkout request id of the page before. */
  after: z.string().max(128).optional(),
  limit: z.coerce.number().int().min(1).max(pageMax).default(pageMax),
});

/** Every prompt that rang a phone, oldest first, a page at a time. */
export function listPrompts(prompts: Prompts): Handler {
  return ({ query }) => {
    const given = filter.safeParse(Object.fromEntries(query));
    if (!given.success) {
      return answerWith(jsonReply(400, { error: z.prettifyError(given.error) }));
    }
    const { phone, reference, after, limit } = given.data;
    const all = prompts.all();
    const start = all.findIndex(({ checkoutRequestId }) => checkoutRequestId === after) + 1;
    if (after !== undefined && start === 0) {
      return answerWith(
        jsonReply(404, { error: "the prompt to go on after is not kept any more" }),
      );
    }
    const rest = all
      .slice(start)
      .filter(
        ({ request }) =>
          (phone === undefined || request.PhoneNumber === phone) &&
          (reference === undefined || request.AccountReference === reference),
      );
    return answerWith(
      jsonReply(200, {
        prompts: rest.slice(0, limit).map(promptRecord),
        more: rest.length > limit,
      }),
    );
  };
}
