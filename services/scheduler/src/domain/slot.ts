/** The start of the current time slot of a job. Every scheduler computes the same one. */
export function slotOf(now: Date, everyMs: number): Date {
  return new Date(Math.floor(now.getTime() / everyMs) * everyMs);
}

/** The number of slots between two slots in which no scheduler ran. */
export function missedBetween(last: Date | null, slot: Date, everyMs: number): number {
  if (last === null) return 0;
  return Math.max(0, Math.round((slot.getTime() - last.getTime()) / everyMs) - 1);
}
