import type { SandboxMerchant } from "@malipo/contracts";
import { addMs } from "@malipo/core";
import type { Behaviour } from "../behaviour/behaviour.ts";
import type { Callbacks } from "./callback-sender.ts";
import type { PushRequest } from "../daraja/requests.ts";
import { createIds } from "./prompt-ids.ts";
import type { Phones } from "../store/phones.ts";
import type { Prompt } from "./prompt.ts";
import { createRing } from "../store/bounded-map.ts";
import type { Settings } from "../settings.ts";
import type { Timers } from "../timers.ts";

/** How the person at the phone page holds prompts back, and hears of them. */
export interface Watch {
  isWatched(phone: string): boolean;
  rang(prompt: Prompt, until: Date): void;
  ended(prompt: Prompt): void;
}

export interface Prompts {
  /** Rings the phone; resolves once the request may be answered. */
  open(
    request: PushRequest,
    merchant: SandboxMerchant,
    behaviour: Behaviour,
    /** Otherwise it comes to its end without anybody's doing. */
    reachesPhone: boolean,
  ): Promise<Prompt>;
  /** False when it has ended already. */
  end(prompt: Prompt, result: string): boolean;
  find(checkoutRequestId: string): Prompt | undefined;
  all(): Prompt[];
}

export interface PromptsContext {
  readonly settings: () => Settings;
  readonly timers: Timers;
  readonly phones: Phones;
  readonly callbacks: Callbacks;
  readonly watch: Watch;
  readonly now: () => Date;
  readonly promptsMax: number;
}

const unreached = "1037";

export function createPrompts(context: PromptsContext): Prompts {
  const { settings, timers, phones, callbacks, watch, now } = context;
  const kept = createRing<Prompt>(context.promptsMax);
  const ids = createIds((id) => kept.get(id) !== undefined);

  function ring(request: PushRequest, merchant: SandboxMerchant, behaviour: Behaviour): Prompt {
    const promptedAt = now();
    const prompt: Prompt = {
      ...ids.ofPrompt(promptedAt, request.PhoneNumber),
      merchant,
      request,
      behaviour,
      promptedAt,
      callbacks: [],
      queries: 0,
      end: null,
    };
    kept.add(prompt.checkoutRequestId, prompt);
    phones.opened(request.PhoneNumber);
    return prompt;
  }

  function close(prompt: Prompt, result: string): boolean {
    if (prompt.end) return false;
    const { PhoneNumber: phone, Amount: amount } = prompt.request;
    const at = now();
    const tooSoon =
      result === "0" && settings().switches.twoMinuteRule && phones.paidJustNow(phone, amount, at);
    const final = tooSoon ? "17" : result;
    prompt.end = { at, result: final, receipt: ids.ofReceipt(at) };
    phones.closed(phone);
    if (final === "0") phones.paid(phone, amount, at);
    watch.ended(prompt);
    return true;
  }

  function end(prompt: Prompt, result: string): boolean {
    const ended = close(prompt, result);
    if (ended) callbacks.sendAfterEnd(prompt);
    return ended;
  }

  return {
    open: async (request, merchant, behaviour, reachesPhone) => {
      const prompt = ring(request, merchant, behaviour);
      const { outcomeMs, promptMs } = settings().timing;
      const { result } = behaviour;
      if (behaviour.deliveries.some(({ when }) => when === "early")) {
        close(prompt, result);
        await callbacks.sendEarly(prompt);
        callbacks.sendAfterEnd(prompt);
      } else if (reachesPhone && watch.isWatched(request.PhoneNumber)) {
        watch.rang(prompt, addMs(prompt.promptedAt, promptMs));
        timers.after(promptMs, () => end(prompt, unreached));
      } else {
        timers.after(outcomeMs, () => end(prompt, result));
      }
      return prompt;
    },
    end,
    find: (id) => kept.get(id),
    all: () => kept.values(),
  };
}
