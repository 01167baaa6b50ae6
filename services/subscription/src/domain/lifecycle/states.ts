/** Every status of a subscription; the last two are final. */
export const statuses = ["trial", "active", "pending", "paused", "cancelled", "expired"] as const;

export type Status = (typeof statuses)[number];

/** What can happen to a subscription: by its dates, by what becomes of its invoices, or by command. */
export type Trigger =
  | "trial-ends"
  | "period-ends"
  | "falls-overdue"
  | "is-settled"
  | "waits-too-long"
  | "reaches-its-end"
  | "pause"
  | "resume"
  | "cancel"
  | "invoice-by-hand";

/** Where a trigger leads; where there are two, what the customer owes or has agreed to decides. */
export const next = {
  trial: {
    "trial-ends": ["active"],
    cancel: ["cancelled"],
    "reaches-its-end": ["expired"],
  },
  active: {
    "period-ends": ["active", "pending"],
    "falls-overdue": ["pending"],
    pause: ["paused"],
    cancel: ["cancelled"],
    "reaches-its-end": ["expired"],
    "invoice-by-hand": ["active"],
  },
  pending: {
    "is-settled": ["active"],
    "waits-too-long": ["expired"],
    cancel: ["cancelled"],
    "reaches-its-end": ["expired"],
  },
  paused: {
    resume: ["active", "pending"],
    cancel: ["cancelled"],
    "reaches-its-end": ["expired"],
  },
  cancelled: {},
  expired: {},
} as const satisfies Record<Status, Partial<Record<Trigger, readonly [Status, ...Status[]]>>>;

export function allows(status: Status, trigger: Trigger): boolean {
  return trigger in next[status];
}
