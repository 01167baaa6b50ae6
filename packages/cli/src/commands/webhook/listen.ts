import { publicEventTypes } from "@malipo/contracts";
import { command, type Context } from "../../command-line/command.ts";
import { businessDoor } from "../../api/audience.ts";
import { parseSince } from "../../command-line/duration.ts";
import { type FeedEvent, followFeed } from "./follow-feed.ts";
import { forward, type Forwarded } from "./forward.ts";
import {
  parseEventChoice,
  parseSigningSecret,
  parseTarget,
  usualSigningSecret,
} from "./event-filter.ts";
import type { LiveCell } from "../../output/table.ts";

export const webhookListen = command({
  name: "webhook listen",
  about: "Show a business's events as they happen, and send them to an address on this machine",
  example: "malipo webhook listen --forward http://localhost:3000/hook",
  door: businessDoor,
  args: {},
  options: {
    forward: { takes: "url", about: "Where to send them, signed like any delivery; once each" },
    events: { takes: "types", about: "Only these, like invoice.paid,payment.*; all if not given" },
    replay: { about: "First those of the last 30 days, then what comes" },
    since: {
      takes: "when",
      about: "Replay only from then: a date, a moment or how long ago, like 15m",
    },
    secret: {
      takes: "whsec_...",
      about: "Sign with this; else one that is the same at every start",
    },
  },
  run: async (given, context) => {
    const { clock, locate, print } = context;
    const wants = parseEventChoice(given.events ?? "*");
    const since = given.since ? parseSince("--since", given.since, clock()) : undefined;
    const isReplay = given.replay || since !== undefined;
    const url = given.forward && parseTarget(given.forward);
    const secret = given.secret && parseSigningSecret(given.secret);
    const location = locate();
    const signing = secret ?? usualSigningSecret(location.token);
    const interrupted = context.untilInterrupted();
    const counts = { heard: 0, refused: 0 };

    const feed = followFeed({
      api: context.api,
      from: isReplay ? "oldest" : "newest",
      interrupted,
      note: (sentence) => print.note(sentence),
      onReady: () => introduce(context, { from: location.url, to: url, signing }),
    });
    for await (const event of feed) {
      if (!wants(event.type) || (since && new Date(event.createdat) < since)) continue;
      const target = url && { url, secret: signing, clock, interrupted };
      const forwarded = target ? await forward(target, event) : undefined;
      counts.heard += 1;
      if (forwarded?.problem) counts.refused += 1;
      print.live(forwarded ? { ...event, forwarded } : event, cellsOf(event, forwarded));
    }
    print.note(farewell(counts, url));
  },
});

function introduce(
  { print }: Context,
  { from, to, signing }: { from: string; to: string | undefined; signing: string },
): void {
  print.note(`Listening to ${from}${to ? `, sending to ${to}` : ""}. Ctrl-C ends it.`);
  if (to) print.note(`Signed with ${signing}`);
}

const typeWidth = Math.max(...publicEventTypes.map(({ length }) => length));

function cellsOf(event: FeedEvent, forwarded: Forwarded | undefined): LiveCell[] {
  const { createdat, type, resourceid, sequence } = event;
  return [
    [momentOf(createdat), 19],
    [type, typeWidth],
    [resourceid, 24],
    [`#${sequence}`, 4],
    ...(forwarded ? [[outcomeOf(forwarded), 0] as const] : []),
  ];
}

/** By this machine's own clock, for that is where its reader sits. */
function momentOf(text: string): string {
  return new Date(text).toLocaleString("sv-SE");
}

function outcomeOf({ status, problem, milliseconds }: Forwarded): string {
  return `${problem === null ? String(status) : `FAILED: ${problem}`} (${milliseconds} ms)`;
}

function farewell({ heard, refused }: { heard: number; refused: number }, url?: string): string {
  const events = `${heard} event${heard === 1 ? "" : "s"}`;
  if (url === undefined) return `${events} seen.`;
  if (refused === 0) return `${events} sent and taken.`;
  return `${events} sent, ${refused} of them not taken: --replay or --since sends them again.`;
}
