import type { PushAnswer } from "../behaviour/behaviour.ts";
import { createMerchantRequestId } from "../daraja/ids.ts";
import { buildReply } from "../daraja/replies.ts";
import { describeRefusal } from "../daraja/result-texts.ts";
import type { Answer } from "../http/answer.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { SimulatorContext } from "../simulator-context.ts";

const acceptedText = "Success. Request accepted for processing";

/** Answers a payment request. The prompt is null when the phone was not prompted. */
export async function answerPush(
  answer: PushAnswer,
  prompt: Prompt | null,
  { settings, timers }: Pick<SimulatorContext, "settings" | "timers">,
): Promise<Answer> {
  switch (answer.kind) {
    case "accepted":
      if (answer.slow) await timers.pause(settings().timing.slowMs);
      return { kind: "reply", reply: buildPushReply(prompt, "0", acceptedText) };
    case "refused": {
      const { responseCode } = answer;
      const text = describeRefusal(responseCode);
      return { kind: "reply", reply: buildPushReply(null, responseCode, text) };
    }
    case "reply":
      return { kind: "reply", reply: buildReply(answer.reply) };
    case "torn":
      return { kind: "torn", reply: buildPushReply(prompt, "0", acceptedText) };
    default:
      return answer;
  }
}

function buildPushReply(prompt: Prompt | null, responseCode: string, text: string): Reply {
  return jsonReply(200, {
    MerchantRequestID: prompt?.merchantRequestId ?? createMerchantRequestId("current"),
    CheckoutRequestID: prompt?.checkoutRequestId ?? "",
    ResponseCode: responseCode,
    ResponseDescription: text,
    CustomerMessage: text,
  });
}
