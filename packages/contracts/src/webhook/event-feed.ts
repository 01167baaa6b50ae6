import { eventIdentity } from "./delivery.ts";
import { z } from "zod";
import { timestamp } from "../definition/fields.ts";
import { cursorPaging, feedLimit } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const feedEntry = z.object({
  ...eventIdentity,
  createdat: timestamp.meta({ description: "When it happened." }),
  body: z.unknown().meta({
    description: "The same that webhooks get.",
    examples: [{ event: "invoice.paid", timestamp: "2026-11-03T08:15:30.000Z", data: {} }],
  }),
});

export const eventFeedRoutes = {
  listEvents: route({
    audience: "public",
    service: "webhook",
    rateClass: "none",
    verb: "list-events",
    method: "GET",
    path: "/business/event/list",
    summary: "All events of 30 days, oldest first: go on with the cursor, now or later",
    query: z.object({
      cursor: z
        .string()
        .max(200)
        .optional()
        .meta({
          description: "The cursor of the answer before. Nothing ever appears behind it.",
          examples: ["AXm0c1VvZ3JhcGhpZQ"],
        }),
      from: z.enum(["oldest", "newest"]).default("oldest").meta({
        description: "Where to begin without a cursor; newest gives a cursor for what comes.",
        default: "oldest",
      }),
      limit: feedLimit,
    }),
    reply: {
      status: 200,
      data: z.array(feedEntry),
      paging: "meta",
      pagingSchema: cursorPaging,
    },
  }),
} as const;
