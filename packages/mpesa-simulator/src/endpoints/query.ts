import type { QueryAnswer } from "../behaviour/behaviour.ts";
import { drawFraction } from "../behaviour/random-faults.ts";
import { buildInvalidField, buildReply, buildStillProcessing } from "../daraja/replies.ts";
import { parseQuery } from "../daraja/requests.ts";
import { describeResult } from "../daraja/result-texts.ts";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { SimulatorContext } from "../simulator-context.ts";
import { createAuthenticator } from "./authenticate.ts";

const processingResult = { code: "4999", text: "The transaction is still under processing" };

export function queryStatus(context: SimulatorContext): Handler {
  const { prompts, settings, now } = context;
  const authenticate = createAuthenticator(context, parseQuery);
  return (received): Answer => {
    const authenticated = authenticate(received);
    if (!authenticated.ok) return answerWith(authenticated.reply);
    const { CheckoutRequestID: id } = authenticated.request;
    const subject = { checkoutrequestid: id };
    const prompt = prompts.find(id);
    if (prompt?.merchant.shortcode !== authenticated.merchant.shortcode) {
      return answerWith(buildInvalidField("CheckoutRequestID"), subject);
    }
    prompt.queryCount += 1;
    const { timing, random } = settings();
    const fraction = drawFraction(random.seed, "queryFails", id, prompt.queryCount);
    if (fraction < random.rates.queryFails) return answerWith(buildReply("html503"), subject);
    const ageMs = now().getTime() - prompt.promptedAt.getTime();
    return { ...answerQuery(prompt, ageMs < timing.processingMs), subject };
  };
}

/** `isRecent`: temporary faults still last. */
function answerQuery(prompt: Prompt, isRecent: boolean): Answer {
  const planned: QueryAnswer = prompt.behaviour.query;
  switch (planned.kind) {
    case "silence":
      return planned;
    case "unknown-id":
      return answerWith(buildInvalidField("CheckoutRequestID"));
    case "reply":
      if (planned.everySecondPasses && prompt.queryCount % 2 === 0) break;
      return answerWith(buildReply(planned.reply));
    case "processing-error":
      if (planned.duration === "temporary" && !isRecent) break;
      return answerWith(buildStillProcessing(prompt.checkoutRequestId));
    case "processing-result":
      if (!isRecent) break;
      return answerWith(buildResult(prompt, processingResult.code, processingResult.text));
    case "false-result":
      if (planned.duration === "temporary" ? !isRecent : prompt.end === null) break;
      return answerWith(buildResult(prompt, planned.result, describeResult(planned.result)));
    default:
  }
  return answerWith(buildTrueResult(prompt));
}

function buildTrueResult(prompt: Prompt): Reply {
  return prompt.end
    ? buildResult(prompt, prompt.end.result, describeResult(prompt.end.result))
    : buildStillProcessing(prompt.checkoutRequestId);
}

/** In a query's reply the result code is always a string, and there is never a receipt. */
function buildResult(prompt: Prompt, result: string, text: string): Reply {
  return jsonReply(200, {
    ResponseCode: "0",
    ResponseDescription: "The service request has been accepted successfully",
    MerchantRequestID: prompt.merchantRequestId,
    CheckoutRequestID: prompt.checkoutRequestId,
    ResultCode: result,
    ResultDesc: text,
  });
}
