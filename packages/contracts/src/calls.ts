import { businessCalls } from "./business.ts";
import { invoiceCalls } from "./invoice-calls.ts";
import { paymentCalls } from "./payment.ts";
import type { Operation } from "./route.ts";

/** Everything that services ask of each other; commands go scheduler → subscription → invoice → payment. */
export const calls = { ...businessCalls, ...invoiceCalls, ...paymentCalls } as const;

export const allCalls: readonly Operation[] = Object.values(calls);
