import type { Answer } from "../http/answer.ts";
import type { PushAnswer } from "../behaviour/behaviour.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { World } from "../simulator-context.ts";
import { merchantRequestId } from "../daraja/ids.ts";
import { jsonReply, type Reply, reply } from "../daraja/replies.ts";
import { refusalText } from "../daraja/result-texts.ts";

const acceptedText = "Success. Request accepted for processing";

/** Without a prompt there are no ids to tell. */
export async function answerAs(
  answer: PushAnswer,
  prompt: Prompt | null,
  { settings, timers }: Pick<World, "settings" | "timers">,
): Promise<Answer> {
  switch (answer.kind) {
    case "accepted":
      if (answer.slow) await timers.pause(settings().timing.slowMs);
      return { kind: "reply", reply: pushReply(prompt, "0", acceptedText) };
    case "refused": {
      const { responseCode } = answer;
      return { kind: "reply", reply: pushReply(null, responseCode, refusalText(responseCode)) };
    }
    case "reply":
      return { kind: "reply", reply: reply(answer.reply) };
    case "torn":
      return { kind: "torn", reply: pushReply(prompt, "0", acceptedText) };
    default:
      return answer;
  }
}

function pushReply(prompt: Prompt | null, responseCode: string, text: string): Reply {
  return jsonReply(200, {
    MerchantRequestID: prompt?.merchantRequestId ?? merchantRequestId("current"),
    CheckoutRequestID: prompt?.checkoutRequestId ?? "",
    ResponseCode: responseCode,
    ResponseDescription: text,
    CustomerMessage: text,
  });
}
