import { businessCalls } from "./business.ts";
import type { Call } from "./call.ts";
import { healthCalls } from "./health.ts";
import { invoiceCalls } from "./invoice-calls.ts";
import { orderCalls } from "./order.ts";
import { paymentCalls } from "./payment.ts";
import { subscriptionCalls } from "./subscription.ts";

/** Everything that services ask of each other; commands go scheduler → subscription → invoice → payment. */
export const calls = {
  ...businessCalls,
  ...healthCalls,
  ...orderCalls,
  ...invoiceCalls,
  ...paymentCalls,
  ...subscriptionCalls,
} as const;

export const allCalls: readonly Call[] = Object.values(calls);
