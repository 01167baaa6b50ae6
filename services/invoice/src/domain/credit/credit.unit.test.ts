import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { anInvoice, anInvoiceIn, context, idOf, made, pay } from "../../../test/invoice-builder.ts";
import { planCreditUse, previewCredit } from "./allocate-credit.ts";
import { type Credit, grantCredit, newCredit, useCredit, usesMax } from "./credit.ts";
import type { Invoice } from "../invoice/invoice.ts";

const origin = { businessid: idOf(2), customerid: idOf(3), invoiceid: idOf(100) };

function aCredit(granted: number, number = 50): Credit {
  return newCredit(idOf(number), origin, cents(granted), made);
}

function use(credit: Credit, invoiceid: string, amount: number, nth = 1): Credit | null {
  return useCredit(credit, { invoiceid, nth, amount: cents(amount) }, context)?.entity ?? null;
}

function numbered(number: number, invoice: Invoice = anInvoice()): Invoice {
  return { ...invoice, id: idOf(number) };
}

describe("credit", () => {
  it("keeps the larger total when an older or equal grant is repeated", () => {
    const raised = grantCredit(aCredit(100), cents(250), made)?.entity;
    expect(raised?.unspent).toBe(250);
    expect(raised && grantCredit(raised, cents(100), made)).toBeNull();
    expect(raised && grantCredit(raised, cents(250), made)).toBeNull();
  });

  it("spends at most what is unspent, and each numbered use once", () => {
    const credit = aCredit(100);
    const change = useCredit(credit, { invoiceid: idOf(1), nth: 1, amount: cents(60) }, context);
    expect(change?.entity.unspent).toBe(40);
    expect(change?.events).toEqual([
      {
        type: "credit.used",
        data: {
          customerid: idOf(3),
          invoiceid: idOf(1),
          key: `credit:${credit.id}:${idOf(1)}`,
          cents: 60,
        },
      },
    ]);
    expect(change && use(change.entity, idOf(1), 40, 1)).toBeNull();
    expect(change && use(change.entity, idOf(1), 40, 2)?.unspent).toBe(0);
    expect(use(credit, idOf(1), 101)).toBeNull();
  });

  it("moves the rest to a new credit after 200 uses", () => {
    let credit = aCredit(1_000);
    for (let number = 1; number < usesMax; number += 1) {
      credit = use(credit, idOf(number), 1) ?? credit;
    }
    expect([credit.uses.length, credit.unspent]).toEqual([usesMax - 1, 801]);
    const last = useCredit(credit, { invoiceid: idOf(999), nth: 1, amount: cents(1) }, context);
    expect(last?.entity).toMatchObject({ unspent: 0, carried: 800 });
    expect(last?.events.map(({ type }) => type)).toEqual(["credit.used", "credit.granted"]);
    expect(last?.events[1]?.data).toMatchObject({ grants: [{ cents: 800 }] });
  });

  it("pays the oldest invoice with the oldest credit first", () => {
    const invoices = [numbered(1), numbered(2)];
    const next = planCreditUse([aCredit(0), aCredit(30_000, 51), aCredit(500, 52)], invoices);
    expect(next).toMatchObject({
      credit: { id: idOf(51) },
      invoice: { id: idOf(1) },
      nth: 1,
      amount: 30_000,
    });
  });

  it("first pays the invoice that its money was paid for", () => {
    const invoices = [numbered(1), numbered(100)];
    expect(planCreditUse([aCredit(500)], invoices)?.invoice.id).toBe(idOf(100));
  });

  it("pays at most what is owed, and only open invoices", () => {
    expect(planCreditUse([aCredit(500_000)], [numbered(1)])?.amount).toBe(100_000);
    for (const status of ["draft", "paid", "cancelled"] as const) {
      expect(planCreditUse([aCredit(500)], [numbered(1, anInvoiceIn(status))])).toBeNull();
    }
  });

  it("is not used on the same invoice again before the invoice has received the first use", () => {
    const credit = use(aCredit(500), idOf(1), 300);
    if (!credit) throw new Error("not used");
    expect(planCreditUse([credit], [numbered(1)])).toBeNull();
    const paid = pay(anInvoice(), `credit:${credit.id}:${idOf(1)}`, 300);
    expect(planCreditUse([credit], [numbered(1, paid)])).toMatchObject({ nth: 2, amount: 200 });
  });
});

function owedAfter(credits: readonly Credit[], invoices: readonly Invoice[]) {
  return previewCredit(credits, invoices, context).map(({ id, owed, status }) => [
    id,
    owed,
    status,
  ]);
}

describe("a preview of credit", () => {
  it("pays invoices oldest first and leaves the given invoices as they are", () => {
    const invoices = [numbered(1), numbered(2), numbered(3)];
    expect(owedAfter([aCredit(130_000, 51), aCredit(20_000, 52)], invoices)).toEqual([
      [idOf(1), null, "paid"],
      [idOf(2), 50_000, "partially_paid"],
      [idOf(3), 100_000, "unpaid"],
    ]);
    expect(invoices.map(({ owed }) => owed)).toEqual([100_000, 100_000, 100_000]);
  });

  it("counts a use that has not reached its invoice yet", () => {
    const credit = use(aCredit(50_000), idOf(1), 30_000);
    if (!credit) throw new Error("not used");
    expect(owedAfter([credit], [numbered(1)])).toEqual([[idOf(1), 50_000, "partially_paid"]]);
  });

  it("counts a use once when the invoice already has it", () => {
    const credit = use(aCredit(30_000), idOf(1), 30_000);
    if (!credit) throw new Error("not used");
    const paid = numbered(1, pay(anInvoice(), `credit:${credit.id}:${idOf(1)}`, 30_000));
    expect(owedAfter([credit], [paid])).toEqual([[idOf(1), 70_000, "partially_paid"]]);
  });

  it("equals what the stored credit pays when both are applied step by step", () => {
    let credits: readonly Credit[] = [aCredit(70_000, 51), aCredit(90_000, 52), aCredit(500, 53)];
    let invoices: readonly Invoice[] = [numbered(1), numbered(2)];
    const preview = owedAfter(credits, invoices);
    for (;;) {
      const planned = planCreditUse(credits, invoices);
      if (!planned) break;
      const { invoice, nth, amount } = planned;
      const spent = use(planned.credit, invoice.id, amount, nth);
      if (!spent) throw new Error("not used");
      const key = `credit:${spent.id}:${invoice.id}`;
      credits = credits.map((each) => (each.id === spent.id ? spent : each));
      invoices = invoices.map((each) => (each.id === invoice.id ? pay(each, key, amount) : each));
    }
    expect(invoices.map(({ id, owed, status }) => [id, owed, status])).toEqual(preview);
  });
});
