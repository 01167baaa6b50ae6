import { businessCalls } from "./business.ts";
import { invoiceCalls } from "./invoice-calls.ts";
import { orderCalls } from "./order.ts";
import { paymentCalls } from "./payment.ts";
import { subscriptionCalls } from "./subscription.ts";
import type { Operation } from "./route.ts";

/** Everything that services ask of each other; commands go scheduler → subscription → invoice → payment. */
export const calls = {
  ...businessCalls,
  ...orderCalls,
  ...invoiceCalls,
  ...paymentCalls,
  ...subscriptionCalls,
} as const;

export const allCalls: readonly Operation[] = Object.values(calls);
