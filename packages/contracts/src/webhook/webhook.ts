import { publicEventTypes } from "../registry/events.ts";
import { z } from "zod";
import { description, objectId, recordTimes, timestamp } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

export const allEvents = "*";
const eventChoices = [allEvents, ...publicEventTypes] as const;

/** Checks the text only. The webhook service also checks the address in the network. */
const receiverUrl = z
  .string()
  .trim()
  .max(2_000)
  .superRefine((text, check) => {
    const problem = urlProblem(text);
    if (problem) check.addIssue({ code: "custom", message: problem });
  })
  .transform((text) => new URL(text).href);

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "must be an address that begins with https:// or http://";
  }
  if (url.username || url.password) return "must not contain a user or a password";
  if (url.hash) return "must not contain a fragment";
  return undefined;
}

const fieldDocs = {
  url: {
    description: "Where events are sent, by POST. A live environment takes https only.",
    examples: ["https://example.co.ke/malipo/events"],
  },
  events: {
    description: 'The types of events it gets, or "*" for all, also those to come.',
    examples: [["payment.completed"]],
  },
  description: {
    description: "What it is for, in your own words.",
    examples: ["Our bookkeeping"],
  },
};

const chosenEvents = z
  .array(z.enum(eventChoices))
  .min(1)
  .max(eventChoices.length)
  .transform((events) => (events.includes(allEvents) ? [allEvents] : [...new Set(events)]));

const webhookView = z.object({
  _id: objectId.meta({ description: "The webhook's identifier." }),
  url: z.string().meta(fieldDocs.url),
  events: z.array(z.enum(eventChoices)).meta(fieldDocs.events),
  description: z.string().nullable().meta(fieldDocs.description),
  enabled: z.boolean().meta({
    description: "Whether events are sent. While it is disabled they are kept for it.",
  }),
  disabledat: timestamp.nullable().meta({ description: "Since when it is disabled." }),
  disabledreason: z
    .string()
    .nullable()
    .meta({
      description: "Why it is disabled, also if we did it.",
      examples: ["Its receiver answered 410 Gone"],
    }),
  failingsince: timestamp.nullable().meta({
    description: "Since when nothing but failure was had from its receiver.",
  }),
  ...recordTimes,
});

export type WebhookView = z.infer<typeof webhookView>;

const withSecret = webhookView.extend({
  secret: z.string().meta({
    description: "Shown here and never again: with it you check that an event is ours.",
    examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgPvcy7Hk="],
  }),
});

const webhookParams = { id: "webhook" } as const;
const webhookRoute = { audience: "public", service: "webhook", rateClass: "none" } as const;

const change = z
  .object({
    url: receiverUrl.optional().meta(fieldDocs.url),
    events: chosenEvents.optional().meta(fieldDocs.events),
    description: description.nullable().optional().meta(fieldDocs.description),
    enabled: z.boolean().optional().meta({ description: "Disable it, or enable it again." }),
    backlog: z
      .enum(["deliver", "drop"])
      .optional()
      .meta({
        description:
          "On enabling it again: whether what is waiting for it is delivered, as it is if this is not sent, or dropped.",
        examples: ["deliver"],
      }),
  })
  .refine(({ enabled, backlog }) => enabled === true || backlog === undefined, {
    path: ["backlog"],
    error: "goes with enabled: true",
  })
  // `backlog` is valid only with `enabled: true`, so the example shows both.
  .meta({ examples: [{ events: ["payment.completed"], enabled: true, backlog: "deliver" }] });

export const webhookRoutes = {
  createWebhook: route({
    ...webhookRoute,
    verb: "create-webhook",
    method: "POST",
    path: "/business/webhook/create",
    summary: "Create a webhook; the answer shows its secret, once",
    body: z.object({
      url: receiverUrl.meta(fieldDocs.url),
      events: chosenEvents.optional().meta(fieldDocs.events),
      description: description.optional().meta(fieldDocs.description),
      enabled: z.boolean().optional().meta({ description: "False: it waits until it is enabled." }),
    }),
    faultCodes: ["conflict"],
    reply: { status: 201, message: "Webhook created successfully", data: withSecret },
  }),
  listWebhooks: route({
    ...webhookRoute,
    verb: "list-webhooks",
    method: "GET",
    path: "/business/webhook/list",
    summary: "List webhooks, newest first",
    query: pageQuery,
    reply: { status: 200, data: z.array(webhookView), paging: "meta" },
  }),
  getWebhook: route({
    ...webhookRoute,
    verb: "get-webhook",
    method: "GET",
    path: "/business/webhook/details/:id",
    summary: "One webhook",
    params: webhookParams,
    reply: { status: 200, data: webhookView },
  }),
  updateWebhook: route({
    ...webhookRoute,
    verb: "update-webhook",
    method: "PATCH",
    path: "/business/webhook/update/:id",
    summary: "Change a webhook, disable it or enable it again; only what is sent changes",
    params: webhookParams,
    body: change,
    reply: { status: 200, message: "Webhook updated successfully", data: webhookView },
  }),
  rotateWebhookSecret: route({
    ...webhookRoute,
    verb: "rotate-secret",
    method: "POST",
    path: "/business/webhook/rotate-secret/:id",
    summary: "Give a webhook a new secret; for 24 hours events are signed with the old one too",
    params: webhookParams,
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Secret rotated successfully", data: withSecret },
  }),
  deleteWebhook: route({
    ...webhookRoute,
    verb: "delete-webhook",
    method: "POST",
    path: "/business/webhook/delete/:id",
    summary: "Delete a webhook; what waits for it is dropped",
    params: webhookParams,
    reply: {
      status: 200,
      message: "Webhook deleted successfully",
      data: z.object({ _id: objectId.meta({ description: "The webhook's identifier." }) }),
    },
  }),
} as const;
