import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { cancelSubscription } from "./subscriptions/cancel-subscription.ts";
import { reconcileBillings } from "./operations/reconcile-billings.ts";
import { createPlan } from "./plans/create-plan.ts";
import { createSubscription } from "./subscriptions/create-subscription.ts";
import { deletePlan } from "./plans/delete-plan.ts";
import { describeSubscriptionLink } from "./calls/describe-link.ts";
import { explainSubscription } from "./operations/explain-subscription.ts";
import { generateInvoice } from "./subscriptions/generate-invoice.ts";
import { getPlan } from "./plans/get-plan.ts";
import { getSubscription } from "./subscriptions/get-subscription.ts";
import { listParkedSubscriptions } from "./operations/list-parked.ts";
import { listPlans } from "./plans/list-plans.ts";
import { listSubscriptions } from "./subscriptions/list-subscriptions.ts";
import { onBusiness } from "./events/on-business.ts";
import { onCustomer } from "./events/on-customer.ts";
import { onInvoice } from "./events/on-invoice.ts";
import { onPayment } from "./events/on-payment.ts";
import { pauseSubscription } from "./subscriptions/pause-subscription.ts";
import { previewBilling } from "./operations/preview-billing.ts";
import { reportSubscriptionHealth } from "./operations/report-health.ts";
import { resendSubscriptionEvents } from "./operations/resend-events.ts";
import { resumeSubscription } from "./subscriptions/resume-subscription.ts";
import { retryParkedSubscriptions } from "./operations/retry-parked.ts";
import { updatePlan } from "./plans/update-plan.ts";
import { processDueSubscriptions } from "./operations/process-due-subscriptions.ts";

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
