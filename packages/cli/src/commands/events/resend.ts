import { resendRoutes, streams } from "@malipo/contracts";
import type { Answer } from "../../api/api-client.ts";
import { command, type Context } from "../../command-line/command.ts";
import { parseSince } from "../../command-line/duration.ts";
import { parseChoice } from "../../command-line/values.ts";

const all = Object.values(resendRoutes);
const services = all.map(({ service }) => service);
type ResendRoute = (typeof all)[number];
type Cursor = Answer<ResendRoute>["data"]["cursor"];

export const eventsResend = command({
  name: "events resend",
  about: "Publish again the events that the services remember; harmless if repeated",
  example: "malipo events resend --service invoice --since 7d",
  args: {},
  options: {
    service: { takes: "service", about: `One of ${services.join(", ")}; all if not given` },
    since: {
      takes: "when",
      about: "A date, a moment or how long ago, like 7d; all that streams keep if not given",
    },
  },
  run: async ({ service, since }, context) => {
    const now = context.clock();
    const from = since
      ? parseSince("--since", since, now)
      : new Date(now.getTime() - streams.event.maxAgeMs);
    const chosen = service && parseChoice("--service", service, services);
    const results: { service: string; sent: number }[] = [];
    for (const route of all.filter((candidate) => !chosen || candidate.service === chosen)) {
      results.push({ service: route.service, sent: await resend(context, route, from) });
    }
    context.print.endProgress();
    context.print.list(results, [
      { heading: "SERVICE", cell: (result) => result.service },
      { heading: "EVENTS SENT", cell: ({ sent }) => sent },
    ]);
  },
});

/** Step by step, so that no single request takes long. */
async function resend({ api, print }: Context, route: ResendRoute, since: Date): Promise<number> {
  const step = async (cursor: Cursor) => {
    const body = { since: since.toISOString(), ...(cursor && { cursor }) };
    return (await api.ask<ResendRoute>(route, { body })).data;
  };
  for (let sent = 0, cursor: Cursor = null; ;) {
    const outcome = await step(cursor);
    sent += outcome.sent;
    print.progress(`${route.service}: ${sent} sent`);
    if (!outcome.cursor) return sent;
    cursor = outcome.cursor;
  }
}
