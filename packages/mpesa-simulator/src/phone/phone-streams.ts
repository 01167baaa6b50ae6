import type { ServerResponse } from "node:http";
import type { Prompt } from "../prompts/prompt.ts";
import type { Watch } from "../prompts/prompts.ts";
import { resultText } from "../daraja/result-texts.ts";
import type { Timers } from "../timers.ts";

/** A page that is loaded again is away for a moment. */
const graceMs = 3_000;
const heartbeatMs = 15_000;
const streamsMax = 200;

interface Shown {
  readonly prompt: Prompt;
  readonly until: Date;
}

export interface PhoneWatch extends Watch {
  /** Tells the page of this phone what happens on it; false when too many pages are open. */
  attach(phone: string, response: ServerResponse): boolean;
}

export function createWatch(timers: Timers, now: () => Date): PhoneWatch {
  const streams = new Map<string, Set<ServerResponse>>();
  const shown = new Map<Prompt, Shown>();
  let open = 0;

  function tell(phone: string, event: object): void {
    for (const response of streams.get(phone) ?? []) write(response, event);
  }

  function leave(phone: string, response: ServerResponse): void {
    open -= 1;
    timers.after(graceMs, () => {
      const left = streams.get(phone);
      left?.delete(response);
      if (left?.size === 0) streams.delete(phone);
    });
  }

  function keepAlive(response: ServerResponse): void {
    timers.after(heartbeatMs, () => {
      if (response.destroyed) return;
      response.write(":\n\n");
      keepAlive(response);
    });
  }

  return {
    isWatched: (phone) => streams.has(phone),
    rang: (prompt, until) => {
      shown.set(prompt, { prompt, until });
      tell(prompt.request.PhoneNumber, ringing({ prompt, until }, now()));
    },
    ended: (prompt) => {
      if (shown.delete(prompt)) tell(prompt.request.PhoneNumber, ending(prompt));
    },
    attach: (phone, response) => {
      if (open >= streamsMax) return false;
      open += 1;
      const ofPhone = streams.get(phone) ?? new Set();
      streams.set(phone, ofPhone.add(response));
      response.once("close", () => leave(phone, response));
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 1000\n\n");
      keepAlive(response);
      for (const each of shown.values()) {
        if (each.prompt.request.PhoneNumber === phone) write(response, ringing(each, now()));
      }
      return true;
    },
  };
}

function write(response: ServerResponse, event: object): void {
  if (!response.destroyed) response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function ringing({ prompt, until }: Shown, now: Date): object {
  const { checkoutRequestId, merchant, request } = prompt;
  return {
    type: "ringing",
    id: checkoutRequestId,
    business: merchant.name,
    amount: request.Amount,
    reference: request.AccountReference,
    description: request.TransactionDesc,
    // The page's own clock may be wrong.
    secondsLeft: Math.max(0, Math.round((until.getTime() - now.getTime()) / 1_000)),
  };
}

function ending({ checkoutRequestId, merchant, request, end }: Prompt): object {
  const result = end?.result ?? "";
  return {
    type: "ended",
    id: checkoutRequestId,
    business: merchant.name,
    amount: request.Amount,
    paid: result === "0",
    result,
    text: resultText(result),
    ...(result === "0" && { receipt: end?.receipt }),
  };
}
