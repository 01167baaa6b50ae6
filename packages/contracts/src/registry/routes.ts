import { billingRoutes } from "../subscription/billing-preview.ts";
import { businessRoutes } from "../gateway/business.ts";
import { customerRoutes } from "../invoice/customer.ts";
import { deadLetterRoutes } from "../operations/dead-letters.ts";
import { eventFeedRoutes } from "../webhook/event-feed.ts";
import { healthRoutes } from "../operations/health.ts";
import { invoicePages } from "../invoice/invoice-pages.ts";
import { invoiceRoutes } from "../invoice/invoice-routes.ts";
import { keyRoutes } from "../gateway/key.ts";
import { parkedRoutes } from "../operations/parked.ts";
import { paymentLinkRoutes } from "../payment/payment-link.ts";
import { paymentMethodRoutes } from "../payment/payment-method.ts";
import { paymentPages } from "../payment/payment-pages.ts";
import { paymentRoutes } from "../payment/payment.ts";
import { subscriptionPlanRoutes } from "../subscription/subscription-plan.ts";
import { productRoutes } from "../invoice/product.ts";
import { receiptRoutes } from "../payment/receipt.ts";
import { resendRoutes } from "../operations/resend.ts";
import { runRoutes } from "../scheduler/runs.ts";
import { settingsRoutes } from "../gateway/settings.ts";
import { subscriptionRoutes } from "../subscription/subscription-routes.ts";
import { suspenseRoutes } from "../payment/suspense.ts";
import { taxRoutes } from "../invoice/tax.ts";
import { webhookDeliveryRoutes } from "../webhook/delivery.ts";
import { webhookRoutes } from "../webhook/webhook.ts";
import type { Route } from "../definition/route.ts";

/** All HTTP endpoints. The gateway serves no path that is not in this table. */
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
  ...subscriptionPlanRoutes,
  ...deadLetterRoutes,
  ...healthRoutes,
  ...parkedRoutes,
  ...runRoutes,
  ...billingRoutes,
  ...resendRoutes,
} as const;

export const allRoutes: readonly Route[] = Object.values(routes);
