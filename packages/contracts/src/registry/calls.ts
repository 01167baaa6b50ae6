import { businessCalls } from "../gateway/business.ts";
import { healthCalls } from "../operations/health.ts";
import { invoiceCalls } from "../invoice/invoice-calls.ts";
import { orderCalls } from "../invoice/order.ts";
import { paymentCalls } from "../payment/payment.ts";
import { subscriptionCalls } from "../subscription/subscription-calls.ts";
import type { Call } from "../definition/call.ts";

/** All calls between services. Commands flow scheduler → subscription → invoice → payment. */
export const calls = {
  ...businessCalls,
  ...healthCalls,
  ...orderCalls,
  ...invoiceCalls,
  ...paymentCalls,
  ...subscriptionCalls,
} as const;

export const allCalls: readonly Call[] = Object.values(calls);
