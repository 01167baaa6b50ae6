import { type InvoiceStatus, invoiceStatuses, type NewEvent } from "@malipo/contracts";
import { addMs, cents, dayMs, type Fault, type Result, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import {
  afterDue,
  anInvoice,
  anInvoiceIn,
  context,
  duedate,
  idOf,
  made,
  pay,
  vat,
} from "../../../test/invoice-builder.ts";
import {
  cancelUnpaidInvoice,
  changeInvoice,
  type InvoicePatch,
  applyDueDate,
} from "./change-invoice.ts";
import { creditPaymentKey } from "../credit/credit.ts";
import { type Invoice, type InvoiceChange, sumApplied } from "./invoice.ts";
import { newInvoice } from "./new-invoice.ts";
import { isFull, payInvoice, paymentsMax, release, reserve, sumReserved } from "./pay-invoice.ts";
import { transitions, type Trigger } from "./status.ts";
import { noDiscount } from "./totals.ts";

const transaction = idOf(77);

function typesOf(events: readonly NewEvent[]): string[] {
  return events.map(({ type }) => type);
}

function insidesOf({ events }: InvoiceChange): unknown[] {
  return events.map(({ inside }) => inside);
}

function grantsIn({ events }: InvoiceChange) {
  return events.flatMap((event) => (event.type === "credit.granted" ? event.data.grants : []));
}

function unwrap(result: Result<InvoiceChange, Fault>): InvoiceChange {
  if (!result.ok) throw new Error(result.error.text);
  return result.value;
}

function change(invoice: Invoice, patch: InvoicePatch): InvoiceChange {
  return unwrap(changeInvoice(invoice, patch, context));
}

function paying(invoice: Invoice, amount: number, key = transaction): InvoiceChange | null {
  return payInvoice(invoice, { key, amount: cents(amount), at: made }, context);
}

describe("status transitions", () => {
  const triggers: readonly Trigger[] = ["part payment", "full payment", "due date", "cancel"];
  const trigger: Record<Trigger, (invoice: Invoice) => InvoiceChange | null> = {
    "part payment": (invoice) => paying(invoice, 1),
    "full payment": (invoice) => paying(invoice, Math.max(1, invoice.balance)),
    "due date": (invoice) => applyDueDate(invoice, afterDue),
    cancel: (invoice) => {
      const cancelled = cancelUnpaidInvoice(invoice, context);
      return cancelled.ok ? cancelled.value : null;
    },
  };
  // A status that stays as it is can still send an event about the money.
  const expected: Record<InvoiceStatus, Record<Trigger, [InvoiceStatus, string]>> = {
    draft: {
      "part payment": ["partially_paid", "invoice.partially_paid"],
      "full payment": ["paid", "invoice.paid"],
      "due date": ["draft", ""],
      cancel: ["cancelled", "invoice.updated"],
    },
    unpaid: {
      "part payment": ["partially_paid", "invoice.partially_paid"],
      "full payment": ["paid", "invoice.paid"],
      "due date": ["overdue", "invoice.overdue"],
      cancel: ["cancelled", "invoice.updated"],
    },
    partially_paid: {
      "part payment": ["partially_paid", "invoice.partially_paid"],
      "full payment": ["paid", "invoice.paid"],
      "due date": ["overdue", "invoice.overdue"],
      cancel: ["cancelled", "invoice.updated credit.granted"],
    },
    overdue: {
      "part payment": ["overdue", "invoice.partially_paid"],
      "full payment": ["paid", "invoice.paid"],
      "due date": ["overdue", ""],
      cancel: ["cancelled", "invoice.updated"],
    },
    paid: {
      "part payment": ["paid", "credit.granted"],
      "full payment": ["paid", "credit.granted"],
      "due date": ["paid", ""],
      cancel: ["paid", ""],
    },
    cancelled: {
      "part payment": ["cancelled", "credit.granted"],
      "full payment": ["cancelled", "credit.granted"],
      "due date": ["cancelled", ""],
      cancel: ["cancelled", ""],
    },
  };
  const pairs = invoiceStatuses.flatMap((status) =>
    triggers.map((name) => [status, name, ...expected[status][name]] as const),
  );

  it.each(pairs)("of %s on a %s lead to %s and send %j", (status, name, to, events) => {
    const before = anInvoiceIn(status, status === "partially_paid" ? 30_000 : 0);
    const after = trigger[name](before);
    expect(after?.entity.status ?? status).toBe(to);
    expect(typesOf(after?.events ?? []).join(" ")).toBe(events);
  });

  it("follow the transition table", () => {
    for (const [status, name, to] of pairs) {
      const written = (transitions[status] as Record<string, InvoiceStatus>)[name];
      expect({ status, name, to: written ?? status }).toEqual({ status, name, to });
    }
  });
});

describe("a PATCH", () => {
  const own: Partial<Record<InvoiceStatus, string>> = {
    paid: "invoice.paid",
    partially_paid: "invoice.partially_paid",
    overdue: "invoice.overdue",
  };
  const pairs = invoiceStatuses.flatMap((from) => invoiceStatuses.map((to) => [from, to] as const));

  it.each(pairs)(
    "moves %s to %s and sends the event of the status after invoice.updated",
    (from, to) => {
      const before = anInvoiceIn(from);
      const { entity, events } = change(before, { status: to });
      expect(entity.status).toBe(to);
      const event = from === to ? undefined : own[to];
      expect(typesOf(events)).toEqual(["invoice.updated", ...(event ? [event] : [])]);
      expect(entity.balance).toBe(to === "paid" ? 0 : 100_000);
      expect(entity.owed).toBe(
        ["unpaid", "partially_paid", "overdue"].includes(to) ? 100_000 : null,
      );
    },
  );

  it.each(pairs)("loses no cent when it moves %s with a payment to %s", (from, to) => {
    const before = anInvoiceIn(from, 40_000);
    const after = change(before, { status: to });
    const credit = grantsIn(after).reduce((sum, grant) => sum + grant.cents, 0);
    expect(sumApplied(before)).toBe(sumApplied(after.entity) + credit);
    expect(sumApplied(after.entity)).toBe(from === "cancelled" || to === "cancelled" ? 0 : 40_000);
    const { entity } = after;
    expect(entity.balance).toBe(100_000 - sumApplied(entity) - entity.paidOutside);
  });

  it("sets a status that stands until the next payment", () => {
    const set = anInvoiceIn("unpaid", 40_000);
    expect(set.status).toBe("unpaid");
    expect(pay(set, transaction, 10_000).status).toBe("partially_paid");
  });

  it("leaves a set status alone when it changes other fields of an invoice without a balance", () => {
    const set = anInvoiceIn("unpaid", 100_000);
    const { entity, events } = change(set, { title: "Internet", duedate: afterDue });
    expect([entity.status, entity.balance]).toEqual(["unpaid", 0]);
    expect(typesOf(events)).toEqual(["invoice.updated"]);
  });

  it("changes nothing and sends no event when it is empty", () => {
    const invoice = anInvoice();
    expect(change(invoice, {})).toEqual({ entity: invoice, events: [] });
  });

  it("removes a description that is sent empty and keeps one that is not sent", () => {
    const described = change(anInvoice(), { description: "November" }).entity;
    expect(change(described, { title: "Internet" }).entity.description).toBe("November");
    expect(change(described, { description: "" }).entity.description).toBeNull();
  });

  it("to paid records the rest as paid outside, and a PATCH back reopens that rest", () => {
    const paid = anInvoiceIn("paid", 40_000);
    expect([paid.paidOutside, paid.balance]).toEqual([60_000, 0]);
    const { entity } = change(paid, { status: "unpaid" });
    expect([entity.paidOutside, entity.balance, entity.owed]).toEqual([0, 60_000, 60_000]);
  });

  it("to cancelled grants the whole payment as credit, including an earlier surplus", () => {
    const surplus = pay(anInvoice(), transaction, 130_000);
    const cancelled = change(surplus, { status: "cancelled" });
    expect(grantsIn(cancelled)).toEqual([{ creditid: transaction, cents: 130_000 }]);
    expect(grantsIn(change(cancelled.entity, { status: "cancelled" }))).toEqual([]);
  });
});

describe("a payment", () => {
  it("counts once when it is delivered twice", () => {
    const once = pay(anInvoice(), transaction, 40_000);
    expect(paying(once, 40_000)).toBeNull();
    expect(pay(once, idOf(78), 40_000).balance).toBe(20_000);
  });

  it("grants the surplus as credit under its own id", () => {
    const change = paying(anInvoice(), 130_000);
    expect(change?.entity).toMatchObject({ status: "paid", balance: 0 });
    expect(change && typesOf(change.events)).toEqual(["invoice.paid", "credit.granted"]);
    expect(change && grantsIn(change)).toEqual([{ creditid: transaction, cents: 30_000 }]);
  });

  it("by credit has a key, and the key always gives the same id for the credit it leaves", () => {
    const key = creditPaymentKey(transaction, idOf(1), 1);
    expect(key).toBe(`credit:${transaction}:${idOf(1)}`);
    expect(creditPaymentKey(transaction, idOf(1), 2)).toBe(`${key}:2`);
    expect(context.creditIdOf(key)).toMatch(/^[0-9a-f]{24}$/);
    expect(context.creditIdOf(key)).toBe(context.creditIdOf(key));
    expect(context.creditIdOf(transaction)).toBe(transaction);
  });

  it("is refused when the invoice already has 500 payments", () => {
    let invoice = anInvoice();
    for (let number = 0; number < paymentsMax; number += 1) {
      invoice = pay(invoice, idOf(1_000 + number), 1);
    }
    expect([isFull(invoice), invoice.balance]).toEqual([true, 100_000 - paymentsMax]);
    expect(paying(invoice, 1)).toBeNull();
  });

  it("counts on a draft", () => {
    expect(pay(anInvoiceIn("draft"), transaction, 100_000)).toMatchObject({
      status: "paid",
      balance: 0,
    });
  });
});

describe("a due date", () => {
  it("turns an invoice overdue once, also after a PATCH sets another status", () => {
    const overdue = applyDueDate(anInvoice(), duedate)?.entity;
    if (!overdue) throw new Error("not overdue");
    expect(applyDueDate(overdue, afterDue)).toBeNull();
    const { entity } = change(overdue, { status: "unpaid" });
    expect(entity.dueat).toBeNull();
    expect(applyDueDate(entity, afterDue)).toBeNull();
  });

  it("has no effect before it is reached or when nothing is owed", () => {
    expect(applyDueDate(anInvoice(), addMs(duedate, -1))).toBeNull();
    const paid = pay(anInvoice(), transaction, 100_000);
    expect(applyDueDate(change(paid, { status: "unpaid" }).entity, afterDue)).toBeNull();
  });

  it("turns an invoice overdue after a PATCH when it has not done so before", () => {
    const set = change(anInvoiceIn("paid"), { status: "unpaid" }).entity;
    expect(applyDueDate(set, afterDue)?.entity.status).toBe("overdue");
  });

  it("has no effect after a PATCH has set overdue and then unpaid", () => {
    const set = change(anInvoiceIn("overdue"), { status: "unpaid" }).entity;
    expect(applyDueDate(set, afterDue)).toBeNull();
  });

  it("leaves its invoice excused in events after a PATCH ends overdue, until the date changes", () => {
    const overdue = anInvoiceIn("overdue");
    expect(insidesOf(change(overdue, { title: "Unga" }))).not.toMatchObject([{ excused: true }]);
    const set = change(overdue, { status: "unpaid" });
    expect(insidesOf(set)).toMatchObject([{ excused: true }]);
    const postponed = change(set.entity, { duedate: addMs(duedate, dayMs) });
    expect(insidesOf(postponed)).not.toMatchObject([{ excused: true }]);
  });

  const later = addMs(duedate, 7 * dayMs);

  it.each([
    [0, "unpaid"],
    [40_000, "partially_paid"],
  ] as const)("reopens an overdue invoice when it is later (%i cents paid: %s)", (paid, status) => {
    const overdue = anInvoiceIn("overdue", paid);
    const { entity, events } = change(overdue, { duedate: later });
    expect(entity).toMatchObject({ status, dueat: later });
    expect(typesOf(events)).toEqual(["invoice.updated"]);
    expect(applyDueDate(entity, later)?.entity.status).toBe("overdue");
  });

  it("leaves an invoice overdue when it is earlier, and yields to a status in the same PATCH", () => {
    const overdue = anInvoiceIn("overdue");
    const earlier = addMs(duedate, -dayMs);
    expect(change(overdue, { duedate: earlier }).entity.status).toBe("overdue");
    expect(change(overdue, { duedate: later, status: "draft" }).entity.status).toBe("draft");
  });
});

describe("a discount", () => {
  it("lowers the balance, and turns the invoice paid when nothing is left", () => {
    const part = pay(anInvoice(), transaction, 60_000);
    expect(change(part, { discount: 30_000 }).entity).toMatchObject({
      status: "partially_paid",
      balance: 10_000,
    });
    const all = change(part, { discount: 40, discounttype: "percentage" });
    expect(all.entity).toMatchObject({ balance: 99_600 - 60_000 + 0 });
    const nothing = change(part, { discount: 4_000, discounttype: "percentage" });
    expect(nothing.entity).toMatchObject({ status: "paid", balance: 0 });
    expect(typesOf(nothing.events)).toEqual(["invoice.updated", "invoice.paid"]);
  });

  it.each([
    [anInvoiceIn("paid"), 1, "Invoice is paid; its discount cannot be changed"],
    [anInvoiceIn("cancelled"), 1, "Invoice is cancelled; its discount cannot be changed"],
    [
      anInvoiceIn("partially_paid", 60_000),
      40_001,
      "Invoice is partially_paid with 600 paid; the discount leaves less than that",
    ],
  ])(
    "is refused when the invoice is paid, is cancelled, or has more paid (%#)",
    (invoice, discount, text) => {
      const refused = changeInvoice(invoice, { discount }, context);
      expect(refused).toMatchObject({ ok: false, error: { code: "conflict", text } });
    },
  );

  it("keeps its number when only its type changes, and is refused when that is over 100 percent", () => {
    const fixed = change(anInvoice(), { discount: 5_000 }).entity;
    expect(change(fixed, { discounttype: "percentage" }).entity.balance).toBe(50_000);
    const large = change(anInvoice(), { discount: 50_000 }).entity;
    expect(changeInvoice(large, { discounttype: "percentage" }, context)).toMatchObject({
      ok: false,
      error: { code: "invalid_request", text: "discount must be at most 100 percent" },
    });
  });

  it("is subtracted before the tax", () => {
    const { entity } = change(anInvoice({ tax: vat }), { discount: 10_000 });
    expect(entity.balance).toBe(104_400);
  });
});

describe("a prompt", () => {
  const prompt = { transactionid: transaction, amount: cents(40_000), at: made };
  const soon = addMs(made, secondMs);

  it("reserves its amount once, for 90 seconds", () => {
    const held = reserve(anInvoice(), prompt, soon)?.entity;
    if (!held) throw new Error("not reserved");
    expect(reserve(held, prompt, soon)).toBeNull();
    expect(sumReserved(held, addMs(made, 90 * secondMs - 1))).toBe(40_000);
    expect(sumReserved(held, addMs(made, 90 * secondMs))).toBe(0);
  });

  it("blocks a cancellation until it is released, paid or expired", () => {
    const held = reserve(anInvoice(), prompt, soon)?.entity;
    if (!held) throw new Error("not reserved");
    expect(cancelUnpaidInvoice(held, { ...context, now: soon })).toMatchObject({
      ok: false,
      error: { text: "Invoice is being paid" },
    });
    const released = release(held, transaction)?.entity;
    expect(released && cancelUnpaidInvoice(released, { ...context, now: soon })).toMatchObject({
      ok: true,
    });
    expect(
      cancelUnpaidInvoice(held, { ...context, now: addMs(made, 90 * secondMs) }),
    ).toMatchObject({ ok: true });
    expect(pay(held, transaction, 40_000).reservations).toEqual([]);
  });

  it("reserves nothing when its event arrives late or after the payment", () => {
    expect(reserve(anInvoice(), prompt, addMs(made, 90 * secondMs))).toBeNull();
    expect(reserve(pay(anInvoice(), transaction, 40_000), prompt, soon)).toBeNull();
    expect(release(anInvoice(), transaction)).toBeNull();
  });

  it("keeps its reservation only among the newest 20", () => {
    let invoice = anInvoice();
    for (let number = 0; number < 30; number += 1) {
      const next = { ...prompt, transactionid: idOf(1_000 + number) };
      invoice = reserve(invoice, next, soon)?.entity ?? invoice;
    }
    expect(invoice.reservations).toHaveLength(20);
  });
});

describe("a new invoice", () => {
  const keys = { id: idOf(1), invoiceno: "INV-000001", code: "c", linkcode: "i23456789a" };
  const draft = { customer: anInvoice().customer, discount: noDiscount, tax: null, duedate };

  it("with a zero balance sends invoice.created as unpaid, then invoice.paid", () => {
    const items = [{ itemid: idOf(4), name: "Gift", quantity: 3, rate: cents(0) }];
    const { entity, events } = newInvoice(
      idOf(2),
      keys,
      { ...draft, items, issuedfor: null },
      made,
    );
    expect([entity.status, entity.balance]).toEqual(["paid", 0]);
    expect(events.map(({ type, data }) => [type, (data as { status: string }).status])).toEqual([
      ["invoice.created", "unpaid"],
      ["invoice.paid", "paid"],
    ]);
  });

  it("gets a title of at most 200 characters from its items", () => {
    const item = { itemid: idOf(4), name: "x".repeat(200), quantity: 1, rate: cents(1) };
    const { entity } = newInvoice(
      idOf(2),
      keys,
      { ...draft, items: [item, item], issuedfor: null },
      made,
    );
    expect(entity.title).toHaveLength(200);
    expect(entity.title.endsWith("x and 1 more")).toBe(true);
  });

  it("has an issue key when it was issued for a subscription", () => {
    const issuedfor = { subscriptionid: idOf(9), why: "cycle", of: "2026-11-01" } as const;
    expect(anInvoice({ issuedfor }).issuekey).toBe(`${idOf(9)}:cycle:2026-11-01`);
    expect(anInvoice().issuekey).toBeNull();
  });
});
