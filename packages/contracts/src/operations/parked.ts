import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { route } from "../definition/route.ts";
import type { ServiceName } from "../definition/service-name.ts";

/** A record that failed too often. It is not retried until an operator requests it. */
const parkedRecord = z.object({
  service: z.string(),
  _id: objectId,
  businessid: objectId,
  reason: z.string(),
  tries: z.int(),
  at: timestamp,
});

export type ParkedRecord = z.infer<typeof parkedRecord>;

function parkedRoutesOf<Service extends ServiceName>(service: Service) {
  const shared = { audience: "operator", service, rateClass: "none" } as const;
  return {
    list: route({
      ...shared,
      verb: "list-parked",
      method: "GET",
      path: `/operator/parked/${service}`,
      summary: `What ${service} set aside because it failed too often, the first 100, oldest first`,
      reply: { status: 200, data: z.array(parkedRecord) },
    }),
    retry: route({
      ...shared,
      verb: "retry-parked",
      method: "POST",
      path: `/operator/parked/retry/${service}`,
      summary: "Try again what was set aside: one record if it is, or all of them",
      body: z.object({ id: objectId.optional() }),
      reply: { status: 200, data: z.object({ retried: z.int() }) },
    }),
  } as const;
}

const subscription = parkedRoutesOf("subscription");
const invoice = parkedRoutesOf("invoice");
const payment = parkedRoutesOf("payment");

/** The routes of each service that can park records. */
export const parkedRoutesByService = { subscription, invoice, payment } as const;

export const parkedRoutes = {
  listParkedSubscriptions: subscription.list,
  retryParkedSubscriptions: subscription.retry,
  listParkedInvoices: invoice.list,
  retryParkedInvoices: invoice.retry,
  listParkedPayments: payment.list,
  retryParkedPayments: payment.retry,
} as const;
