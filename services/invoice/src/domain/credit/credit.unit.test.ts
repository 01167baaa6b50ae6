import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { anInvoice, anInvoiceIn, idOf, made, pay } from "../../../test/invoice-builder.ts";
import { type Credit, grantCredit, newCredit, nextUse, useCredit, usesMax } from "./credit.ts";
import type { Invoice } from "../invoice/invoice.ts";

const origin = { businessid: idOf(2), customerid: idOf(3), invoiceid: idOf(100) };

function aCredit(granted: number, number = 50): Credit {
  return newCredit(idOf(number), origin, cents(granted), made);
}

function use(credit: Credit, invoiceid: string, amount: number, nth = 1): Credit | null {
  return useCredit(credit, { invoiceid, nth, amount: cents(amount) }, made)?.entity ?? null;
}

function numbered(number: number, invoice: Invoice = anInvoice()): Invoice {
  return { ...invoice, id: idOf(number) };
}

describe("credit", () => {
  it("is granted in all: an older amount, heard again, takes nothing away", () => {
    const raised = grantCredit(aCredit(100), cents(250), made)?.entity;
    expect(raised?.unspent).toBe(250);
    expect(raised && grantCredit(raised, cents(100), made)).toBeNull();
    expect(raised && grantCredit(raised, cents(250), made)).toBeNull();
  });

  it("names an invoice once, and only with what it has", () => {
    const credit = aCredit(100);
    const change = useCredit(credit, { invoiceid: idOf(1), nth: 1, amount: cents(60) }, made);
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

  it("goes on as a credit of its own after two hundred uses, with nothing lost", () => {
    let credit = aCredit(1_000);
    for (let number = 1; number < usesMax; number += 1) {
      credit = use(credit, idOf(number), 1) ?? credit;
    }
    expect([credit.uses.length, credit.unspent]).toEqual([usesMax - 1, 801]);
    const last = useCredit(credit, { invoiceid: idOf(999), nth: 1, amount: cents(1) }, made);
    expect(last?.entity).toMatchObject({ unspent: 0, carried: 800 });
    expect(last?.events.map(({ type }) => type)).toEqual(["credit.used", "credit.granted"]);
    expect(last?.events[1]?.data).toMatchObject({ grants: [{ cents: 800 }] });
  });

  it("pays the oldest invoice, with the oldest credit first", () => {
    const invoices = [numbered(1), numbered(2)];
    const next = nextUse([aCredit(0), aCredit(30_000, 51), aCredit(500, 52)], invoices);
    expect(next).toMatchObject({
      credit: { id: idOf(51) },
      invoice: { id: idOf(1) },
      nth: 1,
      amount: 30_000,
    });
  });

  it("pays the invoice first that its money was meant for", () => {
    const invoices = [numbered(1), numbered(100)];
    expect(nextUse([aCredit(500)], invoices)?.invoice.id).toBe(idOf(100));
  });

  it("pays no more than is owed, and only what asks for money", () => {
    expect(nextUse([aCredit(500_000)], [numbered(1)])?.amount).toBe(100_000);
    for (const status of ["draft", "paid", "cancelled"] as const) {
      expect(nextUse([aCredit(500)], [numbered(1, anInvoiceIn(status))])).toBeNull();
    }
  });

  it("waits for its money to arrive before it names the same invoice again", () => {
    const credit = use(aCredit(500), idOf(1), 300);
    if (!credit) throw new Error("not used");
    expect(nextUse([credit], [numbered(1)])).toBeNull();
    const paid = pay(anInvoice(), `credit:${credit.id}:${idOf(1)}`, 300);
    expect(nextUse([credit], [numbered(1, paid)])).toMatchObject({ nth: 2, amount: 200 });
  });
});
