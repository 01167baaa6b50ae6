import type { NewEvent } from "@malipo/contracts";
import { addMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { reconciliationOf, scheduleReconciliation } from "./pending-reconciliation.ts";

const now = new Date("2026-11-21T08:00:00Z");
const later = addMs(now, minuteMs);
const reconciled = [{ type: "payment.completed" }] as unknown as readonly NewEvent[];
const other = [{ type: "payment.failed" }] as unknown as readonly NewEvent[];

describe("the reconciliation of a record", () => {
  it("is due ten minutes after its first reconciled event, also when another one follows", () => {
    expect(scheduleReconciliation(other, now)).toEqual({});
    const scheduled = scheduleReconciliation(reconciled, now);
    const pending = reconciliationOf(scheduled);
    expect(pending).toMatchObject({ from: now, resent: 0, parkedat: null });
    expect(pending?.at).toEqual(addMs(now, 10 * minuteMs));
    expect(scheduleReconciliation(reconciled, later, pending)).toEqual(scheduled);
  });

  it("is due again after a new event when it was parked", () => {
    const parked = { at: null, from: now, resent: 8, parkedat: now, reason: "missing" };
    const pending = reconciliationOf(scheduleReconciliation(reconciled, later, parked));
    expect(pending?.at).toEqual(addMs(later, 10 * minuteMs));
  });
});
