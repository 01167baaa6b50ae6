import type { PlannedCallback } from "../behaviour/behaviour.ts";
import { buildCallback, type CallbackFacts, writeCallback } from "../daraja/callback.ts";
import type { Settings } from "../settings.ts";
import type { Timers } from "../timers.ts";
import { postCallback } from "./post-callback.ts";
import type { Prompt } from "./prompt.ts";

/** With more prompts held back than this, the one held for longest is released. */
const heldMax = 10_000;

export interface CallbackSender {
  /** Sends the callbacks that come before the request's answer. Resolves when all are answered. */
  sendEarly(prompt: Prompt): Promise<void>;
  /** Sends or schedules all other callbacks. */
  sendAfterEnd(prompt: Prompt): void;
}

interface CallbackContext {
  readonly settings: () => Settings;
  readonly timers: Timers;
  readonly now: () => Date;
}

export function createCallbackSender(context: CallbackContext): CallbackSender {
  const { settings, timers } = context;
  /**
   * Prompts whose callbacks are held back until another prompt's callback has been sent, with the
   * function that sends them. The longest held comes first.
   */
  const held = new Map<Prompt, () => void>();

  async function sendInOrder(prompt: Prompt, callbacks: readonly PlannedCallback[]): Promise<void> {
    let sending: Promise<void> = Promise.resolve();
    for (const callback of callbacks) {
      if (callback.isConcurrent) {
        sending = Promise.all([sending, send(prompt, callback, context)]).then(() => undefined);
      } else {
        await sending;
        sending = send(prompt, callback, context);
      }
    }
    await sending;
  }

  function releaseHeld(overtaking: Prompt): void {
    for (const [prompt, release] of held) if (prompt !== overtaking) release();
  }

  function holdUntilOvertaken(prompt: Prompt, callbacks: readonly PlannedCallback[]): void {
    const cancelTimer = timers.after(settings().timing.lateMs, () => release());
    const release = (): void => {
      if (!held.delete(prompt)) return;
      cancelTimer();
      void sendInOrder(prompt, callbacks);
    };
    held.set(prompt, release);
    const [[, releaseLongestHeld] = []] = held;
    if (held.size > heldMax) releaseLongestHeld?.();
  }

  return {
    sendEarly: async (prompt) => sendInOrder(prompt, selectCallbacks(prompt, "early")),
    sendAfterEnd: (prompt) => {
      const atEnd = selectCallbacks(prompt, "ended");
      if (atEnd.length > 0) void sendInOrder(prompt, atEnd).then(() => releaseHeld(prompt));
      const late = selectCallbacks(prompt, "late");
      if (late.length > 0) {
        timers.after(settings().timing.lateMs, () => void sendInOrder(prompt, late));
      }
      const overtaken = selectCallbacks(prompt, "overtaken");
      if (overtaken.length > 0) holdUntilOvertaken(prompt, overtaken);
    },
  };
}

async function send(
  prompt: Prompt,
  planned: PlannedCallback,
  { settings, timers, now }: CallbackContext,
): Promise<void> {
  const { callbackMs } = settings().timing;
  const { callbackAttempts } = settings().switches;
  const facts = collectFacts(prompt, planned);
  const callback = buildCallback(facts);
  const body = planned.writeBody?.(callback, facts) ?? writeCallback(callback);
  const url = prompt.request.CallBackURL;
  const address = planned.changeAddress?.(url) ?? url;
  for (let attempt = 1; attempt <= callbackAttempts && !timers.signal.aborted; attempt += 1) {
    const { result: reportedResult } = facts;
    const sent = { sentAt: now(), reportedResult, body, status: null as number | null };
    prompt.callbacks.push(sent);
    sent.status = await postCallback(address, body, callbackMs, timers);
    if (sent.status === 200) return;
  }
}

function selectCallbacks(prompt: Prompt, when: PlannedCallback["when"]): PlannedCallback[] {
  return prompt.behaviour.callbacks.filter((callback) => callback.when === when);
}

function collectFacts(prompt: Prompt, { reportedResult }: PlannedCallback): CallbackFacts {
  const { end, request } = prompt;
  if (!end) throw new Error("a callback is sent only for a prompt that has ended");
  return {
    merchantRequestId: prompt.merchantRequestId,
    checkoutRequestId: prompt.checkoutRequestId,
    result: reportedResult ?? end.result,
    amount: request.Amount,
    receipt: end.receipt,
    phone: request.PhoneNumber,
    at: end.at,
  };
}
