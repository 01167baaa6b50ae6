import { addMs } from "@malipo/core";
import { expect, it } from "vitest";
import type { PendingReconciliation } from "../outbox/index.ts";
import { afterResend } from "./pending-reconciliations.ts";

const now = new Date("2026-11-21T08:00:00Z");

it("a reconciliation is delayed longer after each resend, and parked after the eighth", () => {
  let pending: PendingReconciliation = {
    at: now,
    from: now,
    resent: 0,
    parkedat: null,
    reason: null,
  };
  const delays: number[] = [];
  while (pending.at) {
    pending = afterResend(pending, "the invoice is missing", now);
    if (pending.at) delays.push(pending.at.getTime() - now.getTime());
  }
  expect(delays).toHaveLength(7);
  expect(delays).toEqual(delays.toSorted((one, next) => one - next));
  expect(pending).toMatchObject({ resent: 8, parkedat: now, reason: "the invoice is missing" });
  expect(addMs(now, delays.at(-1) ?? 0)).toEqual(new Date("2026-11-21T13:20:00Z"));
});
