import { dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { createOperator } from "./malipo.ts";

const simulator = await startSimulator();
const system = useSystem(["invoice", "subscription", "scheduler", "payment"], {
  env: { MPESA_BASE_URL: simulator.url },
});
const { api } = system;
const operator = createOperator(system);

async function subscribe(): Promise<Record<string, unknown>> {
  const customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
  const itemid = idIn(await api("POST", "/business/product/create", { title: "Maji", price: 10 }));
  const items = [{ itemid, quantity: 1, rate: 10.5 }];
  const order = { customerid, items, billingcycle: "weekly", trial: { enddate: "2040-01-01" } };
  return dataOf(await api("POST", "/business/subscription/create", order));
}

describe("malipo billing", () => {
  it("preview lists what would be billed until a date", async () => {
    const { _id, subscriptionno } = await subscribe();
    const shown = await operator.run("billing", "preview", "--at", "2040-01-01");
    expect(shown.stdout).toContain("1 invoices, KES 10.5 in all.");
    expect(await operator.list("billing", "preview", "--at", "2040-01-01")).toEqual([
      {
        subscriptionid: _id,
        subscriptionno,
        businessid: system.business.businessid,
        status: "trial",
        becomes: "active",
        periods: ["2040-01-01T20:59:59.999Z"],
        amount: 10.5,
      },
    ]);
    expect(await operator.list("billing", "preview", "--at", "2039-12-31")).toEqual([]);
    const wrong = await operator.run("billing", "preview", "--at", "soon");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--at must be a date")]);
  });

  it("explain says in sentences what happened to a subscription", async () => {
    const { _id } = await subscribe();
    const { code, stdout } = await operator.run("billing", "explain", String(_id));
    expect(code).toBe(0);
    expect(stdout).toContain("it became trial, because it was created");
    expect(stdout).toContain("its trial ends and its first period is billed");
  });
});

describe("malipo run, runs and parked", () => {
  it("run now, runs list, runs show and runs watch start, follow, list and show a run", async () => {
    const { code, stdout } = await operator.run("run", "now", "subscriptions-due");
    expect(code).toBe(0);
    expect(stdout).toMatch(/status +done/);
    const [newest] = await eventually(async () => {
      const runs = await operator.list("runs", "list", "--all");
      expect(runs.length).toBeGreaterThan(0);
      return runs;
    });
    const shown = await operator.run("runs", "show", String(newest?.["_id"]));
    expect(shown.stdout).toContain(String(newest?.["job"]));
    expect((await operator.run("runs", "watch")).code).toBe(0);
    const unknown = await operator.run("run", "now", "subscriptions-du");
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("Did you mean subscriptions-due?"),
    ]);
  });

  it("parked list is empty, and parked retry needs an existing id or --all", async () => {
    expect(await operator.list("parked", "list")).toEqual([]);
    expect((await operator.run("parked", "retry")).code).toBe(2);
    const unknown = await operator.run("parked", "retry", "6743f1b2c9e8a45d3f0b7c21");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("is parked")]);
  });
});

/** Creates a suspense entry, with a simulated phone that pays a wrong amount. */
async function createSuspenseEntry() {
  const order = { amount: 100, phone: "254700100500", channel: "momo" };
  const requested = await api("POST", "/business/payments/mobile/request", order);
  const transactionid = String(dataOf(requested)["transactionid"]);
  return eventually(async () => {
    const open = await operator.list("suspense", "list");
    expect(open).toMatchObject([{ kind: "wrong_amount", transactionid, status: "open" }]);
    return { transactionid, entry: String(open[0]?.["_id"]) };
  });
}

describe("malipo suspense", () => {
  it("list shows unmatched money, and assign completes its transaction", async () => {
    expect((await operator.run("suspense", "list")).stdout).toContain("No money in suspense.");
    const { transactionid, entry } = await createSuspenseEntry();
    const shown = await operator.run("suspense", "list");
    expect(shown.stdout).toMatch(/ID +AT +KIND +AMOUNT +RECEIPT +CAME WITH/);
    expect(shown.stdout).toContain(entry);
    const nothing = await operator.run("suspense", "assign", entry);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("--transaction")]);
    const assign = ["suspense", "assign", entry, "--transaction", transactionid];
    expect(await operator.record(...assign)).toMatchObject({ _id: entry, status: "assigned" });
    expect(await operator.list("suspense", "list")).toEqual([]);
    const assigned = await operator.list("suspense", "list", "--status", "assigned");
    expect(assigned).toMatchObject([{ _id: entry, transactionid }]);
    await eventually(async () => {
      const path = `/business/transaction/details/${transactionid}`;
      expect(dataOf(await api("GET", path))).toMatchObject({ status: "completed" });
    });
  });

  it("assign closes an entry with a note", async () => {
    const { transactionid, entry } = await createSuspenseEntry();
    const note = ["--note", "paid back by hand"];
    const closed = await operator.record("suspense", "assign", entry, ...note);
    expect(closed).toMatchObject({ _id: entry, status: "closed" });
    expect(await operator.list("suspense", "list")).toEqual([]);
    const path = `/business/transaction/details/${transactionid}`;
    expect(dataOf(await api("GET", path))).toMatchObject({ status: "failed" });
    const unknown = await operator.run("suspense", "assign", "6743f1b2c9e8a45d3f0b7c21", ...note);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("not found")]);
  });
});
