import type { UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";
import { expect } from "vitest";
import { expectYear, type Scenario } from "./expected-year.ts";
import { creditOf } from "./year-actions.ts";
import { dayOf, price } from "./year-plan.ts";

function stateOf({ status, balance }: Document): string {
  if (status === "paid" || status === "cancelled") return status;
  if (balance === price * 100) return "unpaid";
  return balance === price * 50 ? "half paid" : `${balance} cents left`;
}

/** Compares invoices, credit and status of each subscription, and that no number is used twice. */
export async function compareWithExpected(
  system: UsedSystem,
  scenarios: readonly Scenario[],
  ids: readonly string[],
) {
  const subscriptions = system.database("subscription").collection("subscriptions");
  const invoices = await system.database("invoice").collection("invoices").find().toArray();
  const linesOf = Map.groupBy(invoices, ({ issuedfor }) => String(issuedfor.subscriptionid));
  for (const [index, scenario] of scenarios.entries()) {
    const id = ids[index] ?? "";
    const found = await subscriptions.findOne({ _id: new ObjectId(id) });
    const lines = (linesOf.get(id) ?? []).map(({ issuedfor: { why, of }, ...invoice }) => {
      const what = why === "manual" ? `manual ${of}` : `${why} ${dayOf(new Date(of))}`;
      const [issued, dueon] = [dayOf(invoice["invoicedate"]), dayOf(invoice["duedate"])];
      return `${issued}: ${what}, due ${dueon}, ${stateOf(invoice)}`;
    });
    const expected = expectYear(scenario);
    const credit = await creditOf(system, String(found?.["customerid"]));
    const status = found?.["status"];
    expect({ index, status, credit, invoices: lines.toSorted() }).toEqual({
      index,
      status: expected.status,
      credit: expected.hasCredit ? price * 50 : 0,
      invoices: expected.invoices.toSorted(),
    });
  }
  expect(new Set(invoices.map(({ invoiceno }) => invoiceno)).size).toBe(invoices.length);
  const parked = { "parked.at": { $gt: new Date(0) } };
  expect(await subscriptions.countDocuments(parked)).toBe(0);
  const statuses = await subscriptions.distinct("status");
  return { invoices: invoices.length, statuses };
}
