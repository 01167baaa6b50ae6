import { describe, expect, it } from "vitest";
import { simulate } from "../../../test/simulated-subscription.ts";

describe("a weekly subscription with autorenew", () => {
  it("becomes pending when its first invoice is overdue, and expires 14 days later", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(2);
    expect(simulation.state).toEqual({ status: "active", next: 7 });
    simulation.runTo(3);
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.runTo(16);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(17);
    expect(simulation.state).toEqual({ status: "expired", next: null });
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
    expect(simulation.events).toEqual(["0 created", "3 pending", "17 expired"]);
  });

  it("gets one invoice each week while all of them are paid", () => {
    const simulation = simulate({ autorenew: true });
    for (let week = 0; week < 4; week += 1) {
      simulation.runTo(week * 7);
      simulation.pay(week + 1);
    }
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "7: cycle 7, due 10, paid",
      "14: cycle 14, due 17, paid",
      "21: cycle 21, due 24, paid",
    ]);
    expect(simulation.state).toEqual({ status: "active", next: 28 });
    expect(simulation.events).toEqual(["0 created", "7 renewed", "14 renewed", "21 renewed"]);
  });

  it("is billed for every missed week once, in order, after 40 days without processing", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.skipTo(40);
    simulation.processDue();
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "40: cycle 7, due 43, unpaid",
      "40: cycle 14, due 43, unpaid",
      "40: cycle 21, due 43, unpaid",
      "40: cycle 28, due 43, unpaid",
      "40: cycle 35, due 43, unpaid",
    ]);
    expect(simulation.state).toEqual({ status: "active", next: 42 });
  });

  it("keeps its billing anchor when it is paid in pending before the next boundary", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(5);
    simulation.pay(1);
    expect(simulation.state).toEqual({ status: "active", next: 7 });
    simulation.runTo(7);
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, unpaid"]);
  });

  it("gets a new billing anchor when it is paid in pending after the next boundary", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(9);
    simulation.pay(1);
    expect(simulation.state).toEqual({ status: "active", next: 16 });
    simulation.runTo(16);
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "16: cycle 16, due 19, unpaid",
    ]);
    expect(simulation.events).toEqual(["0 created", "3 pending", "9 activated", "16 renewed"]);
  });

  it("keeps its billing anchor when a manual invoice is issued before a boundary", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.runTo(6);
    expect(simulation.generate()).toBe("active");
    expect(simulation.generate()).toBe("active");
    simulation.runTo(7);
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "6: manual 1, due 9, unpaid",
      "7: cycle 7, due 10, unpaid",
    ]);
    simulation.pay(2);
    simulation.generate();
    expect(simulation.invoices.at(-1)).toBe("7: manual 2, due 10, unpaid");
    expect(simulation.state).toEqual({ status: "active", next: 14 });
  });

  it("expires and has its invoice cancelled when the invoice is paid only in part", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(2);
    simulation.payPart(1);
    simulation.runTo(3);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(17);
    expect(simulation.state.status).toBe("expired");
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
  });

  it("is billed for the next period on time when credit pays each invoice", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.runTo(7);
    simulation.pay(2);
    simulation.runTo(11);
    expect(simulation.state).toEqual({ status: "active", next: 14 });
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, paid"]);
  });
});

describe("a weekly subscription without autorenew", () => {
  it("becomes pending, gets no offer and expires when the first invoice is not paid", () => {
    const simulation = simulate();
    simulation.runTo(8);
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.runTo(17);
    expect(simulation.state.status).toBe("expired");
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
  });

  it("gets its renewal offer of day 7 and expires as of day 21 after 40 days without processing", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.skipTo(40);
    simulation.processDue();
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "40: renewal 7, due 43, cancelled",
    ]);
    expect(simulation.events).toEqual(["0 created", "40 pending", "40 expired"]);
    expect(simulation.subscription.history.at(-1)?.asof).toEqual(new Date("2026-01-22T06:00:00Z"));
  });

  it("keeps its billing anchor when the offer is paid before its period has ended", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.runTo(9);
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.pay(2);
    expect(simulation.state).toEqual({ status: "active", next: 14 });
    simulation.runTo(14);
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "7: renewal 7, due 10, paid",
      "14: renewal 14, due 17, unpaid",
    ]);
  });

  it("gets a new billing anchor when the offer is paid after its period has ended", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.runTo(18);
    simulation.pay(2);
    expect(simulation.state).toEqual({ status: "active", next: 25 });
  });

  it("becomes active when the business cancels the offer", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.runTo(8);
    simulation.cancelInvoice(2);
    expect(simulation.state).toEqual({ status: "active", next: 14 });
  });

  it("keeps its debt and loses its offer when it is cancelled in pending", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.runTo(6);
    simulation.generate();
    simulation.runTo(8);
    expect(simulation.cancel()).toBe("cancelled");
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "6: manual 1, due 9, unpaid",
      "7: renewal 7, due 10, cancelled",
    ]);
    expect(simulation.cancel()).toBe("Subscription is cancelled");
    simulation.runTo(60);
    expect(simulation.state).toEqual({ status: "cancelled", next: null });
  });

  it("stays pending instead of expiring while a payment is in progress, and then becomes active", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.runTo(20);
    simulation.skipTo(21);
    simulation.processDue(true);
    expect(simulation.state.status).toBe("pending");
    simulation.pay(2);
    expect(simulation.state).toEqual({ status: "active", next: 28 });
  });
});

describe("a subscription with an end date", () => {
  it("is billed for the whole last period and expires on the end date", () => {
    const simulation = simulate({ autorenew: true, endsOn: 10 });
    simulation.pay(1);
    simulation.runTo(9);
    simulation.pay(2);
    simulation.runTo(20);
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, paid"]);
    expect(simulation.events).toEqual(["0 created", "7 renewed", "10 expired"]);
  });

  it("is not billed for a period that would begin on the end date", () => {
    const simulation = simulate({ autorenew: true, endsOn: 7 });
    simulation.pay(1);
    simulation.runTo(8);
    expect(simulation.invoices).toEqual(["0: cycle 0, due 3, paid"]);
    expect(simulation.state.status).toBe("expired");
  });

  it("expires on the end date while it is paused", () => {
    const simulation = simulate({ autorenew: true, endsOn: 10 });
    simulation.pay(1);
    simulation.runTo(5);
    simulation.pause();
    simulation.runTo(10);
    expect(simulation.state).toEqual({ status: "expired", next: null });
    expect(simulation.resume()).toBe("Subscription is expired");
  });

  it("stays expired when it is paid after the end date and before it is processed", () => {
    const simulation = simulate({ autorenew: true, endsOn: 8 });
    simulation.runTo(4);
    simulation.skipTo(9);
    simulation.pay(1);
    simulation.processDue();
    expect(simulation.state).toEqual({ status: "expired", next: null });
    expect(simulation.events).toEqual(["0 created", "3 pending", "9 expired"]);
  });

  it("loses its open renewal offer on the end date", () => {
    const simulation = simulate({ endsOn: 8 });
    simulation.pay(1);
    simulation.runTo(8);
    expect(simulation.invoices.at(-1)).toBe("7: renewal 7, due 10, cancelled");
  });
});

function threeWeeksPaid() {
  const simulation = simulate({ autorenew: true });
  for (const week of [0, 1, 2]) {
    simulation.runTo(week * 7);
    simulation.pay(week + 1);
  }
  simulation.runTo(20);
  return simulation;
}

describe("a subscription whose invoice the business changes", () => {
  it("becomes pending at once when the invoice is set overdue before its due date", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(1);
    simulation.patch(1, { status: "overdue" });
    simulation.processDue();
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.runTo(14);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(15);
    expect(simulation.state.status).toBe("expired");
  });

  it("stays pending for the full 14 days when a paid invoice is reopened long after its due date", () => {
    const simulation = threeWeeksPaid();
    simulation.patch(1, { status: "unpaid" });
    simulation.processDue();
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.runTo(33);
    expect(simulation.state.status).toBe("pending");
    simulation.pay(1);
    expect(simulation.state).toEqual({ status: "active", next: 40 });
  });

  it("counts pending from the day of the change when the due date is moved into the past", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(2);
    simulation.patch(1, { due: -60 });
    simulation.processDue();
    expect(simulation.state).toEqual({ status: "pending", next: null });
    simulation.runTo(15);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(16);
    expect(simulation.state.status).toBe("expired");
  });

  it("becomes active when the due date of an overdue invoice moves later, and pending on that date", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(4);
    expect(simulation.state.status).toBe("pending");
    simulation.patch(1, { due: 6 });
    expect(simulation.state).toEqual({ status: "active", next: 7 });
    simulation.runTo(6);
    expect(simulation.state.status).toBe("pending");
    expect(simulation.events.at(-1)).toBe("6 pending");
  });

  it("becomes active when an overdue invoice is set to unpaid, and pending when it is set back", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(4);
    simulation.patch(1, { status: "unpaid", excused: true });
    expect(simulation.state).toEqual({ status: "active", next: 7 });
    simulation.runTo(8);
    expect(simulation.state).toEqual({ status: "active", next: 14 });
    expect(simulation.pause()).toBe("paused");
    expect(simulation.resume()).toBe("active");
    simulation.patch(1, { status: "overdue", excused: false });
    simulation.processDue();
    simulation.runTo(21);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(22);
    expect(simulation.state.status).toBe("expired");
  });

  it("counts pending from the due date when the overdue invoice is detected late", () => {
    const simulation = simulate({ autorenew: true });
    simulation.skipTo(16);
    simulation.patch(1, { status: "partially_paid" });
    simulation.processDue();
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(17);
    expect(simulation.state.status).toBe("expired");
  });
});

describe("a paused subscription", () => {
  it("is not billed for skipped periods and resumes at the next boundary of its billing anchor", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    simulation.runTo(5);
    expect(simulation.pause()).toBe("paused");
    simulation.runTo(23);
    expect(simulation.resume()).toBe("active");
    expect(simulation.state.next).toBe(28);
    simulation.runTo(28);
    expect(simulation.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "28: cycle 28, due 31, unpaid",
    ]);
  });

  it("resumes as pending when an invoice is overdue, and becomes active when it is paid", () => {
    const simulation = simulate({ autorenew: true });
    simulation.runTo(2);
    simulation.pause();
    simulation.runTo(6);
    expect(simulation.resume()).toBe("pending");
    simulation.pay(1);
    expect(simulation.state).toEqual({ status: "active", next: 7 });
  });
});

describe("a subscription with a trial", () => {
  it("is billed for its first period from the day the trial ends", () => {
    const simulation = simulate({ autorenew: true, trialDays: 10 });
    expect(simulation.state).toEqual({ status: "trial", next: 10 });
    expect(simulation.generate()).toBe("Subscription is trial");
    simulation.runTo(10);
    expect(simulation.invoices).toEqual(["10: cycle 10, due 13, unpaid"]);
    expect(simulation.state).toEqual({ status: "active", next: 17 });
    expect(simulation.events).toEqual(["0 created", "10 activated"]);
  });

  it("can be cancelled in the trial, and expires without a bill when the trial ends on the end date", () => {
    const cancelled = simulate({ trialDays: 10 });
    expect(cancelled.pause()).toBe("Subscription is trial");
    expect(cancelled.cancel()).toBe("cancelled");
    const ended = simulate({ trialDays: 10, endsOn: 10 });
    ended.runTo(10);
    expect(ended.state.status).toBe("expired");
    expect(ended.invoices).toEqual([]);
  });
});

describe("a monthly subscription", () => {
  it("expires after 30 days in pending", () => {
    const simulation = simulate({ cycle: "monthly" });
    simulation.pay(1);
    simulation.runTo(59);
    expect(simulation.state.status).toBe("pending");
    simulation.runTo(60);
    expect(simulation.state.status).toBe("expired");
  });
});
