import type { SandboxMerchant } from "@malipo/contracts";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { behaviour } from "../behaviour/behaviour.ts";
import { behaviourFor } from "../behaviour/choose-behaviour.ts";
import type { World } from "../simulator-context.ts";
import { answerAs } from "./push-answer.ts";
import { type PushRequest, pushReader } from "../daraja/requests.ts";
import { reply } from "../daraja/replies.ts";
import { signedIn, tokenIn } from "./authenticate.ts";

const amountMax = 250_000;
/** Each open prompt waits for something; beyond this many M-Pesa is busy. */
const waitingMax = 100_000;

export function push(world: World): Handler {
  const { settings, phones, prompts, timers, tokens } = world;
  const signIn = signedIn<PushRequest>(world);
  const readPush = pushReader(world.plainHttpHosts);
  return async (received): Promise<Answer> => {
    const signed = signIn(received, readPush);
    if (!signed.ok) return answerWith(signed.reply);
    const { request, merchant } = signed;
    const { PhoneNumber: phone, AccountReference: reference } = request;
    const about = { phone, reference };
    if (timers.count() >= waitingMax) return answerWith(reply("systemBusy"), about);
    const { subscriberLock } = settings().switches;
    const isLocked = subscriberLock !== "off" && phones.hasOpenPrompt(phone);
    if (isLocked && subscriberLock === "refuse") {
      return answerWith(reply("subscriberLocked"), about);
    }

    const chosen = behaviourFor(phone, phones.countRequest(phone), settings());
    const { answer } = chosen;
    if (!chosen.prompts) {
      if (answer.kind === "reply" && isAboutToken(answer.reply)) tokens.revoke(tokenIn(received));
      return { ...(await answerAs(answer, null, world)), about };
    }
    const failure = isLocked ? "1001" : failureOf(request, merchant);
    const shown = failure === undefined ? chosen : behaviour({ result: failure });
    const prompt = await prompts.open(request, merchant, shown, failure === undefined);
    const { checkoutRequestId: checkoutrequestid } = prompt;
    return {
      ...(await answerAs(shown.answer, prompt, world)),
      about: { ...about, checkoutrequestid },
    };
  };
}

function isAboutToken(replyName: string): boolean {
  return /invalidToken/i.test(replyName);
}

/** The result of a request that is accepted and then comes to nothing, whoever holds the phone. */
function failureOf(request: PushRequest, merchant: SandboxMerchant): string | undefined {
  const type = merchant.type === "till" ? "CustomerBuyGoodsOnline" : "CustomerPayBillOnline";
  if (request.TransactionType !== type) return "2028";
  if (request.PartyB !== merchant.receiver) return "SFC_IC0003";
  return request.Amount > amountMax ? "3" : undefined;
}
