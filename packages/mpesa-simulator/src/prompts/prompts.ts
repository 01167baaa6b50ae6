import type { SandboxMerchant } from "@malipo/contracts";
import { addMs } from "@malipo/core";
import type { Behaviour } from "../behaviour/behaviour.ts";
import type { PushRequest } from "../daraja/requests.ts";
import type { Settings } from "../settings.ts";
import { createBoundedMap } from "../store/bounded-map.ts";
import type { Phones } from "../store/phones.ts";
import type { Timers } from "../timers.ts";
import type { CallbackSender } from "./callback-sender.ts";
import type { Prompt } from "./prompt.ts";
import { createPromptIds } from "./prompt-ids.ts";

/** The open phone pages. While one is open, prompts to its number wait for a person. */
export interface PhoneScreens {
  isOpen(phone: string): boolean;
  showPrompt(prompt: Prompt, until: Date): void;
  showEnd(prompt: Prompt): void;
}

export interface Prompts {
  /** Opens a prompt. Resolves when the payment request may be answered. */
  open(
    request: PushRequest,
    merchant: SandboxMerchant,
    behaviour: Behaviour,
    /** A prompt that does not reach the phone ends with its result, even if a phone page is open. */
    reachesPhone: boolean,
  ): Promise<Prompt>;
  /** Returns false when the prompt has already ended. */
  end(prompt: Prompt, result: string): boolean;
  find(checkoutRequestId: string): Prompt | undefined;
  all(): Prompt[];
}

export interface PromptsContext {
  readonly settings: () => Settings;
  readonly timers: Timers;
  readonly phones: Phones;
  readonly callbacks: CallbackSender;
  readonly screens: PhoneScreens;
  readonly now: () => Date;
  readonly promptsMax: number;
}

const noAnswerResult = "1037";
const twoMinuteRuleResult = "17";

export function createPrompts(context: PromptsContext): Prompts {
  const { settings, timers, phones, callbacks, screens, now } = context;
  const prompts = createBoundedMap<Prompt>(context.promptsMax);
  const ids = createPromptIds((id) => prompts.get(id) !== undefined);

  function addPrompt(
    request: PushRequest,
    merchant: SandboxMerchant,
    behaviour: Behaviour,
  ): Prompt {
    const promptedAt = now();
    const prompt: Prompt = {
      ...ids.createPromptIds(promptedAt, request.PhoneNumber),
      merchant,
      request,
      behaviour,
      promptedAt,
      callbacks: [],
      queryCount: 0,
      end: null,
    };
    prompts.set(prompt.checkoutRequestId, prompt);
    phones.addOpenPrompt(request.PhoneNumber);
    return prompt;
  }

  function close(prompt: Prompt, requestedResult: string): boolean {
    if (prompt.end) return false;
    const { PhoneNumber: phone, Amount: amount } = prompt.request;
    const at = now();
    const breaksTwoMinuteRule =
      requestedResult === "0" &&
      settings().switches.twoMinuteRule &&
      phones.hasJustPaid(phone, amount, at);
    const result = breaksTwoMinuteRule ? twoMinuteRuleResult : requestedResult;
    prompt.end = { at, result, receipt: ids.createReceipt(at) };
    phones.removeOpenPrompt(phone);
    if (result === "0") phones.recordPayment(phone, amount, at);
    screens.showEnd(prompt);
    return true;
  }

  function end(prompt: Prompt, result: string): boolean {
    const isClosed = close(prompt, result);
    if (isClosed) callbacks.sendAfterEnd(prompt);
    return isClosed;
  }

  return {
    open: async (request, merchant, behaviour, reachesPhone) => {
      const prompt = addPrompt(request, merchant, behaviour);
      const { outcomeMs, promptMs } = settings().timing;
      const { result } = behaviour;
      if (behaviour.callbacks.some(({ when }) => when === "early")) {
        close(prompt, result);
        await callbacks.sendEarly(prompt);
        callbacks.sendAfterEnd(prompt);
      } else if (reachesPhone && screens.isOpen(request.PhoneNumber)) {
        screens.showPrompt(prompt, addMs(prompt.promptedAt, promptMs));
        timers.after(promptMs, () => end(prompt, noAnswerResult));
      } else {
        timers.after(outcomeMs, () => end(prompt, result));
      }
      return prompt;
    },
    end,
    find: (id) => prompts.get(id),
    all: () => prompts.values(),
  };
}
