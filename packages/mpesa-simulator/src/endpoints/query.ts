import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import type { QueryPlan } from "../behaviour/behaviour.ts";
import { draw } from "../behaviour/random-faults.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { World } from "../simulator-context.ts";
import { type QueryRequest, readQuery } from "../daraja/requests.ts";
import { invalidField, jsonReply, type Reply, reply, stillProcessing } from "../daraja/replies.ts";
import { resultText } from "../daraja/result-texts.ts";
import { signedIn } from "./authenticate.ts";

const unfinished = { code: "4999", text: "The transaction is still under processing" };

export function query(world: World): Handler {
  const { prompts, settings, now } = world;
  const signIn = signedIn<QueryRequest>(world);
  return (received): Answer => {
    const signed = signIn(received, readQuery);
    if (!signed.ok) return answerWith(signed.reply);
    const { CheckoutRequestID: id } = signed.request;
    const about = { checkoutrequestid: id };
    const prompt = prompts.find(id);
    if (prompt?.merchant.shortcode !== signed.merchant.shortcode) {
      return answerWith(invalidField("CheckoutRequestID"), about);
    }
    prompt.queries += 1;
    const { timing, random } = settings();
    if (draw(random.seed, "queryFails", id, prompt.queries) < random.rates.queryFails) {
      return answerWith(reply("html503"), about);
    }
    const age = now().getTime() - prompt.promptedAt.getTime();
    return { ...answerAs(prompt, age < timing.processingMs), about };
  };
}

function answerAs(prompt: Prompt, isFresh: boolean): Answer {
  const plan: QueryPlan = prompt.behaviour.query;
  switch (plan.kind) {
    case "silence":
      return plan;
    case "unknown-id":
      return answerWith(invalidField("CheckoutRequestID"));
    case "reply":
      if (plan.everySecondPasses && prompt.queries % 2 === 0) break;
      return answerWith(reply(plan.reply));
    case "processing":
      if (plan.until === "a-while" && !isFresh) break;
      return answerWith(stillProcessing(prompt.checkoutRequestId));
    case "under-processing":
      if (!isFresh) break;
      return answerWith(finished(prompt, unfinished.code, unfinished.text));
    case "says":
      if (plan.until === "a-while" ? !isFresh : prompt.end === null) break;
      return answerWith(finished(prompt, plan.result, resultText(plan.result)));
    default:
  }
  return answerWith(truth(prompt));
}

function truth(prompt: Prompt): Reply {
  return prompt.end
    ? finished(prompt, prompt.end.result, resultText(prompt.end.result))
    : stillProcessing(prompt.checkoutRequestId);
}

/** Here the result code is always a string, and no receipt is ever told. */
function finished(prompt: Prompt, result: string, text: string): Reply {
  return jsonReply(200, {
    ResponseCode: "0",
    ResponseDescription: "The service request has been accepted successfully",
    MerchantRequestID: prompt.merchantRequestId,
    CheckoutRequestID: prompt.checkoutRequestId,
    ResultCode: result,
    ResultDesc: text,
  });
}
