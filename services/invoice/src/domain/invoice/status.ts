import type { InvoiceStatus } from "@malipo/contracts";

/** What moves an invoice without anybody setting its status. */
export type Trigger = "part payment" | "full payment" | "due date" | "cancel";

type Moves = {
  readonly [status in InvoiceStatus]: { readonly [trigger in Trigger]?: InvoiceStatus };
};

/** What is not here does not move: money on a cancelled invoice is credit, a paid one is not cancelled. */
export const moves = {
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
} as const satisfies Moves;

export function moved(status: InvoiceStatus, trigger: Trigger): InvoiceStatus | undefined {
  return (moves as Moves)[status][trigger];
}

const open = ["unpaid", "partially_paid", "overdue"] as const;

/** Whether it asks for money. */
export function isOpen(status: InvoiceStatus): boolean {
  return (open as readonly InvoiceStatus[]).includes(status);
}

/** Whether its due date still says something. */
export function awaitsDueDate(status: InvoiceStatus): boolean {
  return moved(status, "due date") !== undefined;
}
