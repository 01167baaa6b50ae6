import type { SandboxMerchant } from "@malipo/contracts";
import { buildBehaviour } from "../behaviour/behaviour.ts";
import { chooseBehaviour } from "../behaviour/choose-behaviour.ts";
import { buildReply } from "../daraja/replies.ts";
import { createPushParser, type PushRequest } from "../daraja/requests.ts";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import type { SimulatorContext } from "../simulator-context.ts";
import { createAuthenticator, readToken } from "./authenticate.ts";
import { answerPush } from "./push-answer.ts";

const amountMax = 250_000;
/** Every open prompt has a timer. With this many pending timers, M-Pesa answers that it is busy. */
const pendingTimersMax = 100_000;

export function requestPush(context: SimulatorContext): Handler {
  const { settings, phones, prompts, timers, tokens } = context;
  const authenticate = createAuthenticator(context, createPushParser(context.plainHttpHosts));
  return async (received): Promise<Answer> => {
    const authenticated = authenticate(received);
    if (!authenticated.ok) return answerWith(authenticated.reply);
    const { request, merchant } = authenticated;
    const { PhoneNumber: phone, AccountReference: reference } = request;
    const subject = { phone, reference };
    if (timers.count() >= pendingTimersMax) return answerWith(buildReply("systemBusy"), subject);
    const { subscriberLock } = settings().switches;
    const isLocked = subscriberLock !== "off" && phones.hasOpenPrompt(phone);
    if (isLocked && subscriberLock === "refuse") {
      return answerWith(buildReply("subscriberLocked"), subject);
    }

    const chosen = chooseBehaviour(phone, phones.countRequest(phone), settings());
    const { answer } = chosen;
    if (!chosen.isPrompted) {
      if (answer.kind === "reply" && isTokenError(answer.reply)) tokens.revoke(readToken(received));
      return { ...(await answerPush(answer, null, context)), subject };
    }
    const failure = isLocked ? "1001" : findFailure(request, merchant);
    const behaviour = failure === undefined ? chosen : buildBehaviour({ result: failure });
    const prompt = await prompts.open(request, merchant, behaviour, failure === undefined);
    const { checkoutRequestId: checkoutrequestid } = prompt;
    return {
      ...(await answerPush(behaviour.answer, prompt, context)),
      subject: { ...subject, checkoutrequestid },
    };
  };
}

function isTokenError(replyName: string): boolean {
  return /invalidToken/i.test(replyName);
}

/** Finds the result of a request that is accepted but cannot succeed, for any phone number. */
function findFailure(request: PushRequest, merchant: SandboxMerchant): string | undefined {
  const type = merchant.type === "till" ? "CustomerBuyGoodsOnline" : "CustomerPayBillOnline";
  if (request.TransactionType !== type) return "2028";
  if (request.PartyB !== merchant.receiver) return "SFC_IC0003";
  return request.Amount > amountMax ? "3" : undefined;
}
