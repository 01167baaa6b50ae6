import type { ServerResponse } from "node:http";
import { describeResult } from "../daraja/result-texts.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { PhoneScreens } from "../prompts/prompts.ts";
import type { Timers } from "../timers.ts";

/** A closed page counts as open for this long, because a page that reloads disconnects briefly. */
const graceMs = 3_000;
const heartbeatMs = 15_000;
const streamsMax = 200;

interface ShownPrompt {
  readonly prompt: Prompt;
  readonly until: Date;
}

/** Server-sent events to the open phone pages. */
export interface PhoneStreams extends PhoneScreens {
  /** Sends the phone's events as the response. Returns false when too many pages are open. */
  attach(phone: string, response: ServerResponse): boolean;
}

export function createPhoneStreams(timers: Timers, now: () => Date): PhoneStreams {
  const streams = new Map<string, Set<ServerResponse>>();
  const shownPrompts = new Map<Prompt, ShownPrompt>();
  let openCount = 0;

  function broadcast(phone: string, event: object): void {
    for (const response of streams.get(phone) ?? []) sendEvent(response, event);
  }

  function detach(phone: string, response: ServerResponse): void {
    openCount -= 1;
    timers.after(graceMs, () => {
      const responses = streams.get(phone);
      responses?.delete(response);
      if (responses?.size === 0) streams.delete(phone);
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
    isOpen: (phone) => streams.has(phone),
    showPrompt: (prompt, until) => {
      shownPrompts.set(prompt, { prompt, until });
      broadcast(prompt.request.PhoneNumber, buildRinging({ prompt, until }, now()));
    },
    showEnd: (prompt) => {
      if (shownPrompts.delete(prompt)) broadcast(prompt.request.PhoneNumber, buildEnded(prompt));
    },
    attach: (phone, response) => {
      if (openCount >= streamsMax) return false;
      openCount += 1;
      const responses = streams.get(phone) ?? new Set();
      streams.set(phone, responses.add(response));
      response.once("close", () => detach(phone, response));
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 1000\n\n");
      keepAlive(response);
      for (const shown of shownPrompts.values()) {
        if (shown.prompt.request.PhoneNumber === phone) {
          sendEvent(response, buildRinging(shown, now()));
        }
      }
      return true;
    },
  };
}

function sendEvent(response: ServerResponse, event: object): void {
  if (!response.destroyed) response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function buildRinging({ prompt, until }: ShownPrompt, now: Date): object {
  const { checkoutRequestId, merchant, request } = prompt;
  return {
    type: "ringing",
    id: checkoutRequestId,
    business: merchant.name,
    amount: request.Amount,
    reference: request.AccountReference,
    description: request.TransactionDesc,
    // The remaining time and not a date, because the clock of the browser may be wrong.
    secondsLeft: Math.max(0, Math.round((until.getTime() - now.getTime()) / 1_000)),
  };
}

function buildEnded({ checkoutRequestId, merchant, request, end }: Prompt): object {
  const result = end?.result ?? "";
  return {
    type: "ended",
    id: checkoutRequestId,
    business: merchant.name,
    amount: request.Amount,
    paid: result === "0",
    result,
    text: describeResult(result),
    ...(result === "0" && { receipt: end?.receipt }),
  };
}
