import { resendRoutes, streams } from "@malipo/contracts";
import type { ApiResult } from "../../api/api-client.ts";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { parseSince } from "../../command-line/duration.ts";
import { parseChoice } from "../../command-line/values.ts";

const allRoutes = Object.values(resendRoutes);
const services = allRoutes.map(({ service }) => service);
type ResendRoute = (typeof allRoutes)[number];
type Cursor = ApiResult<ResendRoute>["data"]["cursor"];

export const eventsResend = defineCommand({
  name: "events resend",
  description: "Publish again the events that the services have stored; safe to repeat",
  example: "malipo events resend --service invoice --since 7d",
  args: {},
  options: {
    service: {
      valueName: "service",
      description: `One of ${services.join(", ")}; all if not given`,
    },
    since: {
      valueName: "when",
      description:
        "A date, a date with time or how long ago, like 7d; all that streams keep if not given",
    },
  },
  run: async ({ service, since }, context) => {
    const now = context.clock();
    const from = since
      ? parseSince("--since", since, now)
      : new Date(now.getTime() - streams.event.maxAgeMs);
    const chosen = service && parseChoice("--service", service, services);
    const results: { service: string; sent: number }[] = [];
    for (const route of allRoutes.filter((candidate) => !chosen || candidate.service === chosen)) {
      results.push({ service: route.service, sent: await resend(context, route, from) });
    }
    context.printer.endProgress();
    context.printer.list(results, [
      { heading: "SERVICE", cell: (result) => result.service },
      { heading: "EVENTS SENT", cell: ({ sent }) => sent },
    ]);
  },
});

/** Resends in small steps, so that no single request takes long. */
async function resend(
  { api, printer }: CommandContext,
  route: ResendRoute,
  since: Date,
): Promise<number> {
  const step = async (cursor: Cursor) => {
    const body = { since: since.toISOString(), ...(cursor && { cursor }) };
    return (await api.call<ResendRoute>(route, { body })).data;
  };
  for (let sent = 0, cursor: Cursor = null; ;) {
    const outcome = await step(cursor);
    sent += outcome.sent;
    printer.progress(`${route.service}: ${sent} sent`);
    if (!outcome.cursor) return sent;
    cursor = outcome.cursor;
  }
}
