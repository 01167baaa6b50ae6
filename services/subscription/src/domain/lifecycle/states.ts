/** Every status of a subscription. The last two are final. */
export const statuses = ["trial", "active", "pending", "paused", "cancelled", "expired"] as const;

export type Status = (typeof statuses)[number];

/** The table's row for a subscription that does not exist yet. It is never stored. */
export type StatusBefore = Status | "new";

/** The causes of a transition: dates, changes of the invoices, and commands. */
export const triggers = [
  "create",
  "trial-ends",
  "period-ends",
  "invoice-overdue",
  "debts-cleared",
  "pending-too-long",
  "end-date",
  "pause",
  "resume",
  "cancel",
  "generate-invoice",
] as const;

export type Trigger = (typeof triggers)[number];

/**
 * Which status may follow which, and by which trigger. Where a trigger has two targets, the caller
 * decides by the trial, by autorenew, or by what the customer owes.
 */
export const transitions: Readonly<
  Record<StatusBefore, Readonly<Partial<Record<Trigger, readonly Status[]>>>>
> = {
  new: { create: ["trial", "active"] },
  trial: {
    "trial-ends": ["active"],
    cancel: ["cancelled"],
    "end-date": ["expired"],
  },
  active: {
    "period-ends": ["active", "pending"],
    "invoice-overdue": ["pending"],
    pause: ["paused"],
    cancel: ["cancelled"],
    "end-date": ["expired"],
    "generate-invoice": ["active"],
  },
  pending: {
    "debts-cleared": ["active"],
    "pending-too-long": ["expired"],
    cancel: ["cancelled"],
    "end-date": ["expired"],
  },
  paused: {
    resume: ["active", "pending"],
    cancel: ["cancelled"],
    "end-date": ["expired"],
  },
  cancelled: {},
  expired: {},
};
