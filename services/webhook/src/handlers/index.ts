import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { createWebhook } from "./endpoints/create-webhook.ts";
import { deleteWebhook } from "./endpoints/delete-webhook.ts";
import { getDelivery } from "./deliveries/get-delivery.ts";
import { getWebhook } from "./endpoints/get-webhook.ts";
import { listDeliveries } from "./deliveries/list-deliveries.ts";
import { listEvents } from "./event-log/list-events.ts";
import { listWebhooks } from "./endpoints/list-webhooks.ts";
import { onEvent } from "./events/on-event.ts";
import { reportWebhookHealth } from "./operations/report-health.ts";
import { resendDelivery } from "./deliveries/resend-delivery.ts";
import { resendFailedDeliveries } from "./deliveries/resend-failed-deliveries.ts";
import { rotateWebhookSecret } from "./endpoints/rotate-secret.ts";
import { testWebhook } from "./endpoints/test-webhook.ts";
import { updateWebhook } from "./endpoints/update-webhook.ts";

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
