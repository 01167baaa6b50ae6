import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { reconcileBillings } from "./reconcile-billings.ts";
import { createPlan } from "./create-plan.ts";
import { createSubscription } from "./create-subscription.ts";
import { deletePlan } from "./delete-plan.ts";
import { describeSubscriptionLink } from "./describe-link.ts";
import { explainSubscription } from "./explain-subscription.ts";
import { generateInvoice } from "./generate-invoice.ts";
import { getPlan } from "./get-plan.ts";
import { getSubscription } from "./get-subscription.ts";
import { listParkedSubscriptions } from "./list-parked.ts";
import { listPlans } from "./list-plans.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { onBusiness } from "./on-business.ts";
import { onCustomer } from "./on-customer.ts";
import { onInvoice } from "./on-invoice.ts";
import { onPayment } from "./on-payment.ts";
import { pauseSubscription } from "./pause-subscription.ts";
import { previewBilling } from "./preview-billing.ts";
import { reportSubscriptionHealth } from "./report-health.ts";
import { resendSubscriptionEvents } from "./resend-events.ts";
import { resumeSubscription } from "./resume-subscription.ts";
import { retryParkedSubscriptions } from "./retry-parked.ts";
import { updatePlan } from "./update-plan.ts";
import { processDueSubscriptions } from "./process-due-subscriptions.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  cancelSubscription,
  reconcileBillings,
  createPlan,
  createSubscription,
  deletePlan,
  describeSubscriptionLink,
  explainSubscription,
  generateInvoice,
  getPlan,
  getSubscription,
  listParkedSubscriptions,
  listPlans,
  listSubscriptions,
  pauseSubscription,
  previewBilling,
  reportSubscriptionHealth,
  resendSubscriptionEvents,
  resumeSubscription,
  retryParkedSubscriptions,
  updatePlan,
  processDueSubscriptions,
} satisfies HandlersOf<"subscription", Deps>;

/** One handler for each pattern of events that this service consumes. */
export const eventHandlers = {
  "business.*": onBusiness,
  "customer.*": onCustomer,
  "invoice.*": onInvoice,
  "payment.*": onPayment,
} satisfies EventHandlersOf<"subscription", Deps>;
