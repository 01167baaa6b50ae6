import { z } from "zod";
import { objectId, recordTimes, timestamp } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const deliveryStatuses = ["pending", "delivered", "failed", "dropped"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const eventExamples = ["evt_6743f1b2c9e8a45d3f0b7c23"];

/** The fields that identify an event in its delivery headers and in the feed. */
export const eventIdentity = {
  eventid: z.string().meta({
    description: "The event's identifier: the same however often it is sent.",
    examples: eventExamples,
  }),
  type: z.string().meta({ description: "The type of the event.", examples: ["invoice.paid"] }),
  resourceid: objectId.meta({ description: "The record it tells of." }),
  sequence: z.int().meta({
    description:
      "The record's own count of its events: of two events of one record the higher is the newer.",
    examples: [3],
  }),
};

const deliveryView = z.object({
  _id: objectId.meta({ description: "The delivery's identifier." }),
  webhookid: objectId.meta({ description: "The webhook it goes to." }),
  ...eventIdentity,
  status: z.enum(deliveryStatuses).meta({
    description:
      "pending: still to be tried; delivered: taken with a 2xx; failed: tried for the last time; dropped: not wanted any more.",
    examples: ["delivered"],
  }),
  attempts: z.int().meta({ description: "How often it was tried.", examples: [1] }),
  lastproblem: z
    .string()
    .nullable()
    .meta({
      description: "What was wrong with the last attempt.",
      examples: ["answered 500"],
    }),
  nextattemptat: timestamp.nullable().meta({
    description: "When it is tried next. A receiver that keeps failing is given more time.",
  }),
  ...recordTimes,
});

export type DeliveryView = z.infer<typeof deliveryView>;

const attemptView = z.object({
  at: timestamp.meta({ description: "When it began." }),
  milliseconds: z.int().meta({ description: "How long it took.", examples: [120] }),
  status: z
    .int()
    .nullable()
    .meta({
      description: "The HTTP status of the answer; null if there was none.",
      examples: [200],
    }),
  problem: z
    .string()
    .nullable()
    .meta({
      description: "Why it does not count as delivered.",
      examples: ["answered 500"],
    }),
  response: z
    .string()
    .nullable()
    .meta({
      description: "The answer's body, as far as its first 16 KB in JSON.",
      examples: ['{"received":true}'],
    }),
});

const deliveryDetails = deliveryView.extend({
  body: z.unknown().meta({
    description: "What is sent, as JSON.",
    examples: [{ event: "invoice.paid", timestamp: "2026-11-03T08:15:30.000Z", data: {} }],
  }),
  log: z.array(attemptView).meta({ description: "Every attempt, the newest 50, oldest first." }),
});

export type DeliveryDetails = z.infer<typeof deliveryDetails>;

const webhookRoute = { audience: "public", service: "webhook", rateClass: "none" } as const;

export const webhookDeliveryRoutes = {
  testWebhook: route({
    ...webhookRoute,
    verb: "test-webhook",
    method: "POST",
    path: "/business/webhook/test/:id",
    summary: "Send an event of type webhook.test; the answer is the delivery to look at",
    params: { id: "webhook" },
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Test event is on its way", data: deliveryView },
  }),
  listDeliveries: route({
    ...webhookRoute,
    verb: "list-deliveries",
    method: "GET",
    path: "/business/webhook/deliveries/:id",
    summary: "A webhook's deliveries of 30 days, newest first",
    params: { id: "webhook" },
    query: listQuery({
      status: z
        .enum(deliveryStatuses)
        .optional()
        .meta({
          description: "Only those that are pending, delivered, failed or dropped.",
          examples: ["failed"],
        }),
      type: z
        .string()
        .max(100)
        .optional()
        .meta({ description: "Only events of this type.", examples: ["invoice.paid"] }),
    }),
    reply: { status: 200, data: z.array(deliveryView), paging: "meta" },
  }),
  getDelivery: route({
    ...webhookRoute,
    verb: "get-delivery",
    method: "GET",
    path: "/business/webhook/delivery/:id",
    summary: "One delivery with its body and all its attempts",
    params: { id: "delivery" },
    reply: { status: 200, data: deliveryDetails },
  }),
  resendDelivery: route({
    ...webhookRoute,
    verb: "resend-delivery",
    method: "POST",
    path: "/business/webhook/resend/:id",
    summary: "Send a delivery again, whatever became of it, with all its retries",
    params: { id: "delivery" },
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Delivery is on its way", data: deliveryView },
  }),
  resendFailedDeliveries: route({
    ...webhookRoute,
    verb: "resend-failed",
    method: "POST",
    path: "/business/webhook/resend-failed/:id",
    summary: "Send again everything of a webhook that failed since a time, up to 1,000 at once",
    params: { id: "webhook" },
    faultCodes: ["conflict"],
    body: z.object({
      since: timestamp.optional().meta({
        description: "Only what failed since then; everything if not sent.",
      }),
    }),
    reply: {
      status: 200,
      message: "Deliveries are on their way",
      data: z.object({
        resent: z.int().meta({ description: "How many are sent again.", examples: [12] }),
        more: z
          .boolean()
          .meta({ description: "Whether there are more: then ask once more.", examples: [false] }),
      }),
    },
  }),
} as const;
