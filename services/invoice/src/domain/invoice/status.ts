import type { InvoiceStatus } from "@malipo/contracts";

/** Changes a status without a PATCH that sets it. */
export type Trigger = "part payment" | "full payment" | "due date" | "cancel";

type Transitions = {
  readonly [status in InvoiceStatus]: { readonly [trigger in Trigger]?: InvoiceStatus };
};

/**
 * The status after a trigger. A missing trigger leaves the status as it is: money for a cancelled
 * invoice becomes credit, and a paid invoice cannot be cancelled for its subscription.
 */
export const transitions = {
  draft: { "part payment": "partially_paid", "full payment": "paid", cancel: "cancelled" },
  unpaid: {
    "part payment": "partially_paid",
    "full payment": "paid",
    "due date": "overdue",
    cancel: "cancelled",
  },
  partially_paid: {
    "part payment": "partially_paid",
    "full payment": "paid",
    "due date": "overdue",
    cancel: "cancelled",
  },
  overdue: { "part payment": "overdue", "full payment": "paid", cancel: "cancelled" },
  paid: { "full payment": "paid" },
  cancelled: { cancel: "cancelled" },
} as const satisfies Transitions;

/** Undefined if the trigger does not apply to the status. */
export function nextStatus(status: InvoiceStatus, trigger: Trigger): InvoiceStatus | undefined {
  return (transitions as Transitions)[status][trigger];
}

const openStatuses: readonly InvoiceStatus[] = ["unpaid", "partially_paid", "overdue"];

/** An open invoice asks its customer for money. */
export function isOpen(status: InvoiceStatus): boolean {
  return openStatuses.includes(status);
}

/** The due date can still turn an invoice of this status overdue. */
export function awaitsDueDate(status: InvoiceStatus): boolean {
  return nextStatus(status, "due date") !== undefined;
}
