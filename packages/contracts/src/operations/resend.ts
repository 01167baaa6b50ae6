import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { route } from "../definition/route.ts";
import type { ServiceName } from "../definition/service-name.ts";

/** A resend runs in short steps. The caller repeats the request with `cursor` until it is null. */
const step = z.object({
  since: timestamp,
  cursor: z.object({ collection: z.string().max(100), after: objectId.nullable() }).optional(),
});

const outcome = z.object({
  sent: z.int(),
  cursor: z.object({ collection: z.string(), after: objectId.nullable() }).nullable(),
});

function resendRoute<Service extends ServiceName>(service: Service) {
  return route({
    audience: "operator",
    service,
    rateClass: "none",
    verb: "resend-events",
    method: "POST",
    path: `/operator/events/resend/${service}`,
    summary: `Publish the events again that ${service} remembers since a moment, step by step`,
    body: step,
    reply: { status: 200, data: outcome },
  });
}

export const resendRoutes = {
  resendGatewayEvents: resendRoute("gateway"),
  resendInvoiceEvents: resendRoute("invoice"),
  resendPaymentEvents: resendRoute("payment"),
  resendSubscriptionEvents: resendRoute("subscription"),
} as const;
