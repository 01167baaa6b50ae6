import type { Delivery } from "../behaviour/behaviour.ts";
import { type CallbackFacts, callbackText, stkCallback } from "../daraja/callback.ts";
import { postCallback } from "./post-callback.ts";
import type { Prompt } from "./prompt.ts";
import type { Settings } from "../settings.ts";
import type { Timers } from "../timers.ts";

/** Beyond this many that wait to be overtaken, the longest waiting goes. */
const waitingMax = 10_000;

export interface Callbacks {
  /** Sends what is due before the request is answered, and resolves when it has been answered. */
  sendEarly(prompt: Prompt): Promise<void>;
  /** Sends, or puts on the clock, everything else. */
  sendAfterEnd(prompt: Prompt): void;
}

export function createCallbacks(
  settings: () => Settings,
  timers: Timers,
  now: () => Date,
): Callbacks {
  /** Those that wait for another prompt's callback to go out first. */
  const overtaken = new Map<Prompt, () => void>();

  async function sendInOrder(prompt: Prompt, deliveries: readonly Delivery[]): Promise<void> {
    let last: Promise<void> = Promise.resolve();
    for (const delivery of deliveries) {
      if (delivery.atOnce) last = Promise.all([last, send(prompt, delivery)]).then(() => undefined);
      else {
        await last;
        last = send(prompt, delivery);
      }
    }
    await last;
  }

  async function send(prompt: Prompt, delivery: Delivery): Promise<void> {
    const { callbackMs } = settings().timing;
    const facts = factsOf(prompt, delivery);
    const callback = stkCallback(facts);
    const body = delivery.write ? delivery.write(callback, facts) : callbackText(callback);
    const url = prompt.request.CallBackURL;
    const address = delivery.address ? delivery.address(url) : url;
    const { callbackAttempts } = settings().switches;
    for (let attempt = 1; attempt <= callbackAttempts && !timers.signal.aborted; attempt += 1) {
      const sent = { sentAt: now(), says: facts.result, body, status: null as number | null };
      prompt.callbacks.push(sent);
      sent.status = await postCallback(address, body, callbackMs, timers);
      if (sent.status === 200) return;
    }
  }

  function letOvertakenGo(by: Prompt): void {
    for (const [prompt, go] of overtaken) if (prompt !== by) go();
  }

  function sendOnceOvertaken(prompt: Prompt, deliveries: readonly Delivery[]): void {
    const stopWaiting = timers.after(settings().timing.lateMs, () => go());
    const go = (): void => {
      if (!overtaken.delete(prompt)) return;
      stopWaiting();
      void sendInOrder(prompt, deliveries);
    };
    overtaken.set(prompt, go);
    const [[, longestWaiting] = []] = overtaken;
    if (overtaken.size > waitingMax) longestWaiting?.();
  }

  return {
    sendEarly: async (prompt) => sendInOrder(prompt, dueAt(prompt, "early")),
    sendAfterEnd: (prompt) => {
      const now = dueAt(prompt, "ended");
      if (now.length > 0) void sendInOrder(prompt, now).then(() => letOvertakenGo(prompt));
      const late = dueAt(prompt, "late");
      if (late.length > 0) {
        timers.after(settings().timing.lateMs, () => void sendInOrder(prompt, late));
      }
      const last = dueAt(prompt, "overtaken");
      if (last.length > 0) sendOnceOvertaken(prompt, last);
    },
  };
}

function dueAt(prompt: Prompt, when: Delivery["when"]): Delivery[] {
  return prompt.behaviour.deliveries.filter((delivery) => delivery.when === when);
}

function factsOf(prompt: Prompt, { says }: Delivery): CallbackFacts {
  const { end, request } = prompt;
  if (!end) throw new Error("a callback tells of a prompt's end");
  return {
    merchantRequestId: prompt.merchantRequestId,
    checkoutRequestId: prompt.checkoutRequestId,
    result: says ?? end.result,
    amount: request.Amount,
    receipt: end.receipt,
    phone: request.PhoneNumber,
    at: end.at,
  };
}
