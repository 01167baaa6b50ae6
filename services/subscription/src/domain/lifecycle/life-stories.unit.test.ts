import { describe, expect, it } from "vitest";
import { story } from "../../../test/story.ts";

describe("weekly, renewing itself", () => {
  it("and never paid: pending when the first invoice is overdue, expired two weeks later", () => {
    const life = story({ autorenew: true });
    life.until(2);
    expect(life.state).toEqual({ status: "active", next: 7 });
    life.until(3);
    expect(life.state).toEqual({ status: "pending", next: null });
    life.until(16);
    expect(life.state.status).toBe("pending");
    life.until(17);
    expect(life.state).toEqual({ status: "expired", next: null });
    expect(life.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
    expect(life.told).toEqual(["0 created", "3 pending", "17 expired"]);
  });

  it("and always paid: one invoice a week, for ever", () => {
    const life = story({ autorenew: true });
    for (let week = 0; week < 4; week += 1) {
      life.until(week * 7);
      life.pay(week + 1);
    }
    expect(life.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "7: cycle 7, due 10, paid",
      "14: cycle 14, due 17, paid",
      "21: cycle 21, due 24, paid",
    ]);
    expect(life.state).toEqual({ status: "active", next: 28 });
    expect(life.told).toEqual(["0 created", "7 renewed", "14 renewed", "21 renewed"]);
  });

  it("and nobody there for 40 days: every missed week is billed once, in order", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.sleepUntil(40);
    life.workOff();
    expect(life.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "40: cycle 7, due 43, unpaid",
      "40: cycle 14, due 43, unpaid",
      "40: cycle 21, due 43, unpaid",
      "40: cycle 28, due 43, unpaid",
      "40: cycle 35, due 43, unpaid",
    ]);
    expect(life.state).toEqual({ status: "active", next: 42 });
  });

  it("and paid in pending, before the next boundary: the rhythm is kept", () => {
    const life = story({ autorenew: true });
    life.until(5);
    life.pay(1);
    expect(life.state).toEqual({ status: "active", next: 7 });
    life.until(7);
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, unpaid"]);
  });

  it("and paid in pending, after the next boundary: a new rhythm from then", () => {
    const life = story({ autorenew: true });
    life.until(9);
    life.pay(1);
    expect(life.state).toEqual({ status: "active", next: 16 });
    life.until(16);
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "16: cycle 16, due 19, unpaid"]);
    expect(life.told).toEqual(["0 created", "3 pending", "9 activated", "16 renewed"]);
  });

  it("and a manual invoice just before a boundary: the rhythm does not move", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.until(6);
    expect(life.generate()).toBe("active");
    expect(life.generate()).toBe("active");
    life.until(7);
    expect(life.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "6: manual 1, due 9, unpaid",
      "7: cycle 7, due 10, unpaid",
    ]);
    life.pay(2);
    life.generate();
    expect(life.invoices.at(-1)).toBe("7: manual 2, due 10, unpaid");
    expect(life.state).toEqual({ status: "active", next: 14 });
  });

  it("and part of an invoice paid, then nothing: it expires, and the invoice is cancelled", () => {
    const life = story({ autorenew: true });
    life.until(2);
    life.payPart(1);
    life.until(3);
    expect(life.state.status).toBe("pending");
    life.until(17);
    expect(life.state.status).toBe("expired");
    expect(life.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
  });

  it("and paid too much: the next period's invoice comes as always, and credit pays it", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.until(7);
    life.pay(2);
    life.until(11);
    expect(life.state).toEqual({ status: "active", next: 14 });
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, paid"]);
  });
});

describe("weekly, renewed by its customer", () => {
  it("with the first invoice unpaid: pending from its due date, no offer, expired", () => {
    const life = story();
    life.until(8);
    expect(life.state).toEqual({ status: "pending", next: null });
    life.until(17);
    expect(life.state.status).toBe("expired");
    expect(life.invoices).toEqual(["0: cycle 0, due 3, cancelled"]);
  });

  it("and nobody there for 40 days: renewal was to be offered on day 7, and ran out on day 21", () => {
    const life = story();
    life.pay(1);
    life.sleepUntil(40);
    life.workOff();
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "40: renewal 7, due 43, cancelled"]);
    expect(life.told).toEqual(["0 created", "40 pending", "40 expired"]);
    expect(life.subscription.history.at(-1)?.asof).toEqual(new Date("2026-01-22T06:00:00Z"));
  });

  it("and the offer paid before the period it is for has ended: on with the rhythm", () => {
    const life = story();
    life.pay(1);
    life.until(9);
    expect(life.state).toEqual({ status: "pending", next: null });
    life.pay(2);
    expect(life.state).toEqual({ status: "active", next: 14 });
    life.until(14);
    expect(life.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "7: renewal 7, due 10, paid",
      "14: renewal 14, due 17, unpaid",
    ]);
  });

  it("and the offer paid after that: a new rhythm", () => {
    const life = story();
    life.pay(1);
    life.until(18);
    life.pay(2);
    expect(life.state).toEqual({ status: "active", next: 25 });
  });

  it("and the offer cancelled by the business: active, as if it were paid", () => {
    const life = story();
    life.pay(1);
    life.until(8);
    life.cancelInvoice(2);
    expect(life.state).toEqual({ status: "active", next: 14 });
  });

  it("and cancelled in pending: the offer is taken back, a debt stays", () => {
    const life = story();
    life.pay(1);
    life.until(6);
    life.generate();
    life.until(8);
    expect(life.cancel()).toBe("cancelled");
    expect(life.invoices).toEqual([
      "0: cycle 0, due 3, paid",
      "6: manual 1, due 9, unpaid",
      "7: renewal 7, due 10, cancelled",
    ]);
    expect(life.cancel()).toBe("Subscription is cancelled");
    life.until(60);
    expect(life.state).toEqual({ status: "cancelled", next: null });
  });

  it("and a payment under way when it would expire: it waits, and is settled", () => {
    const life = story();
    life.pay(1);
    life.until(20);
    life.sleepUntil(21);
    life.workOff(true);
    expect(life.state.status).toBe("pending");
    life.pay(2);
    expect(life.state).toEqual({ status: "active", next: 28 });
  });
});

describe("an end date", () => {
  it("in mid-period: the period is billed in full, and it ends on its date", () => {
    const life = story({ autorenew: true, endsOn: 10 });
    life.pay(1);
    life.until(9);
    life.pay(2);
    life.until(20);
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "7: cycle 7, due 10, paid"]);
    expect(life.told).toEqual(["0 created", "7 renewed", "10 expired"]);
  });

  it("on a boundary: the period that would begin there is not billed", () => {
    const life = story({ autorenew: true, endsOn: 7 });
    life.pay(1);
    life.until(8);
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid"]);
    expect(life.state.status).toBe("expired");
  });

  it("while paused", () => {
    const life = story({ autorenew: true, endsOn: 10 });
    life.pay(1);
    life.until(5);
    life.pause();
    life.until(10);
    expect(life.state).toEqual({ status: "expired", next: null });
    expect(life.resume()).toBe("Subscription is expired");
  });

  it("and paid after it, before anybody has looked: it does not come back", () => {
    const life = story({ autorenew: true, endsOn: 8 });
    life.until(4);
    life.sleepUntil(9);
    life.pay(1);
    life.workOff();
    expect(life.state).toEqual({ status: "expired", next: null });
    expect(life.told).toEqual(["0 created", "3 pending", "9 expired"]);
  });

  it("while a renewal is offered: the offer is taken back", () => {
    const life = story({ endsOn: 8 });
    life.pay(1);
    life.until(8);
    expect(life.invoices.at(-1)).toBe("7: renewal 7, due 10, cancelled");
  });
});

function threeWeeksPaid() {
  const life = story({ autorenew: true });
  for (const week of [0, 1, 2]) {
    life.until(week * 7);
    life.pay(week + 1);
  }
  life.until(20);
  return life;
}

describe("an invoice that is changed by hand", () => {
  it("to overdue, before its date: pending from then", () => {
    const life = story({ autorenew: true });
    life.until(1);
    life.patch(1, { status: "overdue" });
    life.workOff();
    expect(life.state).toEqual({ status: "pending", next: null });
    life.until(14);
    expect(life.state.status).toBe("pending");
    life.until(15);
    expect(life.state.status).toBe("expired");
  });

  it("to unpaid, long after it was paid and due: its customer has all the patience there is", () => {
    const life = threeWeeksPaid();
    life.patch(1, { status: "unpaid" });
    life.workOff();
    expect(life.state).toEqual({ status: "pending", next: null });
    life.until(33);
    expect(life.state.status).toBe("pending");
    life.pay(1);
    expect(life.state).toEqual({ status: "active", next: 40 });
  });

  it("to be due in the past: pending from the day on which that was said", () => {
    const life = story({ autorenew: true });
    life.until(2);
    life.patch(1, { due: -60 });
    life.workOff();
    expect(life.state).toEqual({ status: "pending", next: null });
    life.until(15);
    expect(life.state.status).toBe("pending");
    life.until(16);
    expect(life.state.status).toBe("expired");
  });

  it("to be due later, when it is overdue: active again, and pending from the later date", () => {
    const life = story({ autorenew: true });
    life.until(4);
    expect(life.state.status).toBe("pending");
    life.patch(1, { due: 6 });
    expect(life.state).toEqual({ status: "active", next: 7 });
    life.until(6);
    expect(life.state.status).toBe("pending");
    expect(life.told.at(-1)).toBe("6 pending");
  });

  it("to unpaid, when it is overdue: active again for all that, and paid when it pleases", () => {
    const life = story({ autorenew: true });
    life.until(4);
    life.patch(1, { status: "unpaid", excused: true });
    expect(life.state).toEqual({ status: "active", next: 7 });
    life.until(8);
    expect(life.state).toEqual({ status: "active", next: 14 });
    expect(life.pause()).toBe("paused");
    expect(life.resume()).toBe("active");
    life.patch(1, { status: "overdue", excused: false });
    life.workOff();
    life.until(21);
    expect(life.state.status).toBe("pending");
    life.until(22);
    expect(life.state.status).toBe("expired");
  });

  it("and what is due late stays due from its date, whoever finds out when", () => {
    const life = story({ autorenew: true });
    life.sleepUntil(16);
    life.patch(1, { status: "partially_paid" });
    life.workOff();
    expect(life.state.status).toBe("pending");
    life.until(17);
    expect(life.state.status).toBe("expired");
  });
});

describe("a pause", () => {
  it("skips what passes meanwhile, and comes back into the old rhythm", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    life.until(5);
    expect(life.pause()).toBe("paused");
    life.until(23);
    expect(life.resume()).toBe("active");
    expect(life.state.next).toBe(28);
    life.until(28);
    expect(life.invoices).toEqual(["0: cycle 0, due 3, paid", "28: cycle 28, due 31, unpaid"]);
  });

  it("ends in pending while something is overdue, and from there as always", () => {
    const life = story({ autorenew: true });
    life.until(2);
    life.pause();
    life.until(6);
    expect(life.resume()).toBe("pending");
    life.pay(1);
    expect(life.state).toEqual({ status: "active", next: 7 });
  });
});

describe("a trial", () => {
  it("bills nothing, then its first period from the day it ends", () => {
    const life = story({ autorenew: true, trialDays: 10 });
    expect(life.state).toEqual({ status: "trial", next: 10 });
    expect(life.generate()).toBe("Subscription is trial");
    life.until(10);
    expect(life.invoices).toEqual(["10: cycle 10, due 13, unpaid"]);
    expect(life.state).toEqual({ status: "active", next: 17 });
    expect(life.told).toEqual(["0 created", "10 activated"]);
  });

  it("can be cancelled, and can outlive its subscription", () => {
    const cancelled = story({ trialDays: 10 });
    expect(cancelled.pause()).toBe("Subscription is trial");
    expect(cancelled.cancel()).toBe("cancelled");
    const ended = story({ trialDays: 10, endsOn: 10 });
    ended.until(10);
    expect(ended.state.status).toBe("expired");
    expect(ended.invoices).toEqual([]);
  });
});

describe("long cycles", () => {
  it("wait 30 days for their customer", () => {
    const life = story({ cycle: "monthly" });
    life.pay(1);
    life.until(59);
    expect(life.state.status).toBe("pending");
    life.until(60);
    expect(life.state.status).toBe("expired");
  });
});
