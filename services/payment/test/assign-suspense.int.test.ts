import type { routes } from "@malipo/contracts";
import { cents } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import type { UnmatchedPayment } from "../src/domain/transaction/decide.ts";
import type { Deps } from "../src/deps.ts";
import { assignSuspense } from "../src/handlers/operations/assign-suspense.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 60_000 } } });

type Question = Parameters<RouteHandler<typeof routes.assignSuspense>>[0];
let lastReceipt = 1_000_000;

const fail = async () => Promise.reject(new Error("the process died"));

/** Two prompted transactions, and a suspense entry that matches neither. */
async function open() {
  const payments = await openPayments(servers, simulator.url);
  const { deps, prompted, read } = payments;
  const one = await prompted(nextPhone());
  const other = await prompted(nextPhone());
  const receiptnumber = `UKL${(lastReceipt += 1)}`;
  const callback = {
    checkoutrequestid: "ws_CO_other",
    merchantrequestid: "m-other",
    code: "0",
    amount: cents(9_000),
    receiptnumber,
  };
  const unmatched: UnmatchedPayment = { kind: "unknown_request", callback };
  await deps.suspense.add(unmatched, { id: "0".repeat(24), businessid });
  const request = { page: 1, limit: 10 };
  const { entries } = await deps.suspense.page("open", request);
  const id = entries[0]?.id ?? "";
  return {
    deps,
    one,
    other,
    id,
    receiptnumber,
    assign: async (to: string | null, by: Deps = deps) =>
      assignSuspense(by)({
        params: { id },
        body: { ...(to !== null && { transactionid: to }), note: "asked" },
      } as Question),
    completed: async () => {
      const both = await Promise.all([one, other].map(read));
      return both.filter(({ state }) => state === "completed");
    },
  };
}

const refused = { ok: false, error: { code: "conflict" } };

describe("assignSuspense", () => {
  it("counts the money for one transaction when several assignments run at once", async () => {
    const { assign, one, other, completed, deps, id } = await open();
    const answers = await Promise.all([assign(one), assign(other), assign(one), assign(null)]);
    expect(answers.some(({ ok }) => ok)).toBe(true);
    const closed = await deps.suspense.find(id);
    expect(closed?.status).not.toBe("open");
    expect(await completed()).toHaveLength(closed?.assignedto == null ? 0 : 1);
    for (const to of [one, other, null]) {
      const again = await assign(to);
      expect(again.ok).toBe(to === closed?.assignedto);
    }
  });

  it("refuses another transaction when the process died after it counted the money", async () => {
    const { assign, one, other, completed, deps, receiptnumber } = await open();
    const failing = { ...deps, suspense: { ...deps.suspense, close: fail } };
    await expect(assign(one, failing)).rejects.toThrow("died");
    const text = `Suspense entry is taken for ${one}`;
    for (const to of [other, null]) {
      expect(await assign(to)).toMatchObject({ ok: false, error: { code: "conflict", text } });
    }
    expect(await assign(one)).toMatchObject({ ok: true, value: { data: { status: "assigned" } } });
    expect(await completed()).toMatchObject([{ id: one, momoreceiptnumber: receiptnumber }]);
  });

  it("allows another transaction after it refused one", async () => {
    const { assign, one, other, completed, deps, receiptnumber } = await open();
    expect(await assign("1".repeat(24))).toMatchObject({ error: { code: "not_found" } });
    expect(await assign(one)).toMatchObject({ ok: true });
    expect(await completed()).toMatchObject([{ id: one, amount: 9_000 }]);
    const twin = { checkoutrequestid: "ws_CO_twin", merchantrequestid: "m", code: "0" };
    const callback = { ...twin, amount: cents(9_000), receiptnumber };
    await deps.suspense.add({ kind: "receipt_seen_twice", callback }, { id: other, businessid });
    const { entries } = await deps.suspense.page("open", { page: 1, limit: 10 });
    const question = { params: { id: entries[0]?.id }, body: { transactionid: other } };
    expect(await assignSuspense(deps)(question as Question)).toMatchObject(refused);
    expect(await completed()).toHaveLength(1);
    const closing = { ...question, body: { note: "one payment" } };
    expect(await assignSuspense(deps)(closing as Question)).toMatchObject({ ok: true });
  });
});
