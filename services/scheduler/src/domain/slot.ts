/** The newest moment at which something that recurs was to begin: the same for every scheduler. */
export function slotOf(now: Date, everyMs: number): Date {
  return new Date(Math.floor(now.getTime() / everyMs) * everyMs);
}

/** How many moments passed between two slots with nobody there. */
export function missedBetween(last: Date | null, slot: Date, everyMs: number): number {
  if (last === null) return 0;
  return Math.max(0, Math.round((slot.getTime() - last.getTime()) / everyMs) - 1);
}
