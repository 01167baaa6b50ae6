import { dayMs } from "@malipo/core";
import { dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";

const simulator = await startSimulator();
const system = useSystem(["invoice", "payment", "subscription", "scheduler"], {
  env: { MPESA_BASE_URL: simulator.url, PROMPT_HOURS: "0-24" },
});
const { api, operator } = system;
const outcomeTimeoutMs = 40_000;

async function subscribe(phone: string | undefined) {
  const customerid = idIn(
    await api("POST", "/business/customer/create", { name: "Asha", ...(phone && { phone }) }),
  );
  const itemid = idIn(await api("POST", "/business/product/create", { title: "Maji", price: 10 }));
  const created = await api("POST", "/business/subscription/create", {
    customerid,
    items: [{ itemid, quantity: 1, rate: 250.5 }],
    billingcycle: "weekly",
    autorenew: true,
  });
  return { id: idIn(created), customerid };
}

const startDueJob = () => operator("POST", "/operator/run/start", { job: "subscriptions-due" });

async function promptingOf(id: string) {
  const subscriptions = system.database("subscription").collection("subscriptions");
  const found = await subscriptions.findOne({ _id: new ObjectId(id) });
  return found?.["invoices"][0]?.prompting;
}

async function transactionsOf(customerid: string) {
  const { body } = await api("GET", `/business/transaction/list?customerid=${customerid}`);
  return body["data"] as { amount: number; status: string; referenceid: string }[];
}

describe("a subscription with autorenew", () => {
  it("prompts the customer once for the first invoice when two runs start together, and is paid", async () => {
    const { id, customerid } = await subscribe("254722000001");
    await eventually(async () => {
      expect((await promptingOf(id))?.nextat).toBeInstanceOf(Date);
    });
    await Promise.all([startDueJob(), startDueJob()]);
    await eventually(async () => {
      expect(await transactionsOf(customerid)).toMatchObject([
        { amount: 251, status: "completed", referenceid: expect.stringMatching(/^SUB-/) },
      ]);
      const { body } = await api("GET", `/business/invoice/list?customerid=${customerid}`);
      expect(body["data"]).toMatchObject([{ status: "paid", balance: 0 }]);
      expect(await promptingOf(id)).toMatchObject({ attempt: 1, claimed: null, nextat: null });
    }, outcomeTimeoutMs);
  });

  it("prompts for an invoice whose created event has not arrived", async () => {
    const { id, customerid } = await subscribe("254722000002");
    await eventually(async () => {
      expect((await promptingOf(id))?.nextat).toBeInstanceOf(Date);
    });
    const subscriptions = system.database("subscription").collection("subscriptions");
    await subscriptions.updateOne(
      { _id: new ObjectId(id) },
      { $set: { "invoices.0.invoiceid": null } },
    );
    await startDueJob();
    await eventually(async () => {
      expect(await transactionsOf(customerid)).toMatchObject([{ status: "completed" }]);
      expect(await promptingOf(id)).toMatchObject({ attempt: 1, claimed: null, nextat: null });
    }, outcomeTimeoutMs);
  });

  it("schedules the next prompt in two days when the customer has no funds", async () => {
    const { id, customerid } = await subscribe("254700000001");
    await eventually(async () => {
      expect((await promptingOf(id))?.nextat).toBeInstanceOf(Date);
    });
    await startDueJob();
    const prompting = await eventually(async () => {
      const found = await promptingOf(id);
      expect(found).toMatchObject({ attempt: 1, claimed: null, reason: "insufficient_funds" });
      return found;
    }, outcomeTimeoutMs);
    expect(prompting.nextat.getTime() - Date.now()).toBeGreaterThan(1.9 * dayMs);
    expect(await transactionsOf(customerid)).toMatchObject([{ status: "failed" }]);
  });

  it("ends the prompts with a reason when the customer has no phone", async () => {
    const { id, customerid } = await subscribe(undefined);
    await eventually(async () => {
      expect((await promptingOf(id))?.nextat).toBeInstanceOf(Date);
    });
    await startDueJob();
    await eventually(async () => {
      expect(await promptingOf(id)).toMatchObject({ reason: "the customer has no phone" });
    }, outcomeTimeoutMs);
    expect(await transactionsOf(customerid)).toEqual([]);
    const details = dataOf(await api("GET", `/business/subscription/details/${id}`));
    expect(details["status"]).toBe("active");
  });
});
