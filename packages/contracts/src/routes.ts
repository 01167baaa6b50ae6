import { billingRoutes } from "./billing.ts";
import { businessRoutes } from "./business.ts";
import { calls } from "./calls.ts";
import { customerRoutes } from "./customer.ts";
import { deadLetterRoutes } from "./dead-letter.ts";
import { healthRoutes } from "./health.ts";
import { invoiceRoutes } from "./invoice.ts";
import { eventFeedRoutes } from "./event-feed.ts";
import { invoicePages } from "./invoice-pages.ts";
import { keyRoutes } from "./key.ts";
import { paymentPages } from "./payment-pages.ts";
import { paymentRoutes } from "./payment.ts";
import { paymentLinkRoutes } from "./payment-link.ts";
import { paymentMethodRoutes } from "./payment-method.ts";
import { parkedRoutes } from "./parked.ts";
import { productRoutes } from "./product.ts";
import { receiptRoutes } from "./receipt.ts";
import { resendRoutes } from "./resend.ts";
import { runRoutes } from "./run.ts";
import { settingsRoutes } from "./settings.ts";
import { suspenseRoutes } from "./suspense.ts";
import type { Operation, Route, ServiceName } from "./route.ts";
import { planRoutes } from "./subscription-plan.ts";
import { subscriptionRoutes } from "./subscription-routes.ts";
import { taxRoutes } from "./tax.ts";
import { webhookRoutes } from "./webhook.ts";
import { webhookDeliveryRoutes } from "./webhook-delivery.ts";

/** The whole surface: what is not here does not exist. */
export const routes = {
  ...businessRoutes,
  ...keyRoutes,
  ...settingsRoutes,
  ...customerRoutes,
  ...productRoutes,
  ...taxRoutes,
  ...invoiceRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
  ...eventFeedRoutes,
  ...invoicePages,
  ...paymentRoutes,
  ...paymentPages,
  ...receiptRoutes,
  ...paymentLinkRoutes,
  ...paymentMethodRoutes,
  ...suspenseRoutes,
  ...subscriptionRoutes,
  ...planRoutes,
  ...deadLetterRoutes,
  ...healthRoutes,
  ...parkedRoutes,
  ...runRoutes,
  ...billingRoutes,
  ...resendRoutes,
} as const;

export const allRoutes: readonly Route[] = Object.values(routes);

/** Everything that services answer: routes from outside, calls from each other. */
const operations = { ...routes, ...calls } as const;
export type Operations = typeof operations;

/** The names of the routes and calls that a service answers: each needs a handler of that name. */
export type OperationName<Service extends ServiceName> = {
  [Name in keyof Operations]: Operations[Name]["service"] extends Service ? Name : never;
}[keyof Operations];

/** The routes and calls that a service answers, by name. */
export function operationsOf(service: ServiceName): Readonly<Record<string, Operation>> {
  const all: readonly [string, Operation][] = Object.entries(operations);
  return Object.fromEntries(all.filter(([, operation]) => operation.service === service));
}
