import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { getDelivery } from "./get-delivery.ts";
import { getWebhook } from "./get-webhook.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents } from "./list-events.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { onEvent } from "./on-event.ts";
import { reportWebhookHealth } from "./report-health.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { resendFailedDeliveries } from "./resend-failed-deliveries.ts";
import { rotateWebhookSecret } from "./rotate-secret.ts";
import { testWebhook } from "./test-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listEvents,
  listWebhooks,
  reportWebhookHealth,
  resendDelivery,
  resendFailedDeliveries,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} satisfies HandlersOf<"webhook", Deps>;

/** One handler for each pattern of events that this service consumes. */
export const eventHandlers = {
  "*": onEvent,
} satisfies EventHandlersOf<"webhook", Deps>;
