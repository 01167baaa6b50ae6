import { publicEventTypes } from "@malipo/contracts";
import { businessAudience } from "../../api/audience.ts";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { parseSince } from "../../command-line/duration.ts";
import type { StreamCell } from "../../output/table.ts";
import { parseEventFilter } from "./event-filter.ts";
import { type FeedEvent, followFeed } from "./follow-feed.ts";
import { deriveSigningSecret, parseSigningSecret, parseTargetUrl } from "./forward-target.ts";
import { forwardEvent, type ForwardResult } from "./forward.ts";

export const webhookListen = defineCommand({
  name: "webhook listen",
  description:
    "Show a business's events as they happen, and send them to an address on this machine",
  example: "malipo webhook listen --forward http://localhost:3000/hook",
  audience: businessAudience,
  args: {},
  options: {
    forward: {
      valueName: "url",
      description: "Where to send them, once each and signed like a real delivery",
    },
    events: {
      valueName: "types",
      description: "Only these, like invoice.paid,payment.*; all if not given",
    },
    replay: { description: "Begin with the events of the last 30 days" },
    since: {
      valueName: "when",
      description: "Replay only from then: a date, a date with time or how long ago, like 15m",
    },
    secret: {
      valueName: "whsec_...",
      description: "Sign with this; if not given, with a secret that stays the same",
    },
  },
  run: async (input, context) => {
    const { clock, findLocation, printer } = context;
    const isWanted = parseEventFilter(input.events ?? "*");
    const since = input.since ? parseSince("--since", input.since, clock()) : undefined;
    const isReplay = input.replay || since !== undefined;
    const url = input.forward && parseTargetUrl(input.forward);
    const givenSecret = input.secret && parseSigningSecret(input.secret);
    const location = findLocation();
    const secret = givenSecret ?? deriveSigningSecret(location.token);
    const interrupted = context.catchInterrupt();
    const counts = { shown: 0, failed: 0 };

    const feed = followFeed({
      api: context.api,
      from: isReplay ? "oldest" : "newest",
      interrupted,
      note: (sentence) => printer.note(sentence),
      onReady: () => printIntroduction(context, { from: location.url, to: url, secret }),
    });
    for await (const event of feed) {
      if (!isWanted(event.type) || (since && new Date(event.createdat) < since)) continue;
      const target = url && { url, secret, clock, interrupted };
      const forwarded = target ? await forwardEvent(target, event) : undefined;
      counts.shown += 1;
      if (forwarded?.problem) counts.failed += 1;
      const record = forwarded ? { ...event, forwarded } : event;
      printer.streamRecord(record, buildCells(event, forwarded));
    }
    printer.note(summarize(counts, url));
  },
});

function printIntroduction(
  { printer }: CommandContext,
  { from, to, secret }: { from: string; to: string | undefined; secret: string },
): void {
  printer.note(`Listening to ${from}${to ? `, sending to ${to}` : ""}. Ctrl-C ends it.`);
  if (to) printer.note(`Signed with ${secret}`);
}

const typeWidth = Math.max(...publicEventTypes.map(({ length }) => length));

function buildCells(event: FeedEvent, forwarded: ForwardResult | undefined): StreamCell[] {
  const { createdat, type, resourceid, sequence } = event;
  return [
    [formatLocalTime(createdat), 19],
    [type, typeWidth],
    [resourceid, 24],
    [`#${sequence}`, 4],
    ...(forwarded ? [[describeResult(forwarded), 0] as const] : []),
  ];
}

/** In this machine's time zone, where the reader is. */
function formatLocalTime(text: string): string {
  return new Date(text).toLocaleString("sv-SE");
}

function describeResult({ status, problem, milliseconds }: ForwardResult): string {
  return `${problem === null ? String(status) : `FAILED: ${problem}`} (${milliseconds} ms)`;
}

function summarize({ shown, failed }: { shown: number; failed: number }, url?: string): string {
  const events = `${shown} event${shown === 1 ? "" : "s"}`;
  if (url === undefined) return `${events} seen.`;
  if (failed === 0) return `${events} sent and accepted.`;
  return `${events} sent, ${failed} of them not accepted: --replay or --since sends them again.`;
}
