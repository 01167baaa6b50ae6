import { dataOf, idIn, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";

const system = useSystem(["invoice", "subscription"]);
const { api } = system;
const base = "/business/subscription-plan";

let customerid: string;
let itemid: string;

beforeAll(async () => {
  customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
  itemid = idIn(await api("POST", "/business/product/create", { title: "Internet", price: 1 }));
});

const createPlan = async (title: string, rate: number, more: object = {}) =>
  api("POST", `${base}/create`, { title, items: [{ itemid, quantity: 2, rate }], ...more });

describe("subscription plans", () => {
  it("are created, changed and used by a new subscription", async () => {
    const created = await createPlan("Basic", 500.5, { trialdays: 14, billingcycle: "weekly" });
    expect(created.status).toBe(201);
    expect(dataOf(created)).toMatchObject({
      title: "Basic",
      amount: 1001,
      billingcycle: "weekly",
      trialdays: 14,
      status: "active",
    });
    const id = idIn(created);
    const changed = await api("PATCH", `${base}/update/${id}`, { title: "Better" });
    expect(dataOf(changed)).toMatchObject({ title: "Better", amount: 1001, trialdays: 14 });
    const made = await api("POST", "/business/subscription/create", { customerid, planid: id });
    expect(dataOf(made)).toMatchObject({
      title: "Better",
      status: "trial",
      amount: 1001,
      billingcycle: "weekly",
    });
    const both = { customerid, planid: id, billingcycle: "weekly" };
    const refused = await api("POST", "/business/subscription/create", both);
    expect(refused.body["message"]).toBe("billingcycle must be left out with planid");
  });

  it("are retired by a deletion when in use, and deleted otherwise", async () => {
    const [used, unused] = [await createPlan("Used", 1), await createPlan("Unused", 1)];
    const order = { customerid, planid: idIn(used) };
    expect((await api("POST", "/business/subscription/create", order)).status).toBe(201);
    for (const plan of [used, unused]) {
      const deleted = await api("POST", `${base}/delete/${idIn(plan)}`);
      expect(deleted.body).toEqual({
        success: true,
        message: "Subscription plan deleted successfully",
      });
    }
    const kept = await api("GET", `${base}/details/${idIn(used)}`);
    expect(dataOf(kept)["status"]).toBe("retired");
    expect((await api("GET", `${base}/details/${idIn(unused)}`)).status).toBe(404);
    const again = await api("POST", "/business/subscription/create", order);
    expect([again.status, again.body["message"]]).toEqual([409, "Subscription plan is retired"]);
    const gone = { customerid, planid: idIn(unused) };
    const unknown = await api("POST", "/business/subscription/create", gone);
    expect([unknown.status, unknown.body["message"]]).toEqual([404, "Subscription plan not found"]);
  });

  it("are listed with limit, offset and sort_by", async () => {
    const list = async (query: string) => {
      const { body } = await api("GET", `${base}/list?${query}`);
      const titles = (body["data"] as { title: string }[]).map(({ title }) => title);
      return { titles, meta: body["meta"] as object };
    };
    await createPlan("aardvark", 9_000);
    await createPlan("Zebra", 8_000);
    expect((await list("sort_by=-amount&limit=2")).titles).toEqual(["aardvark", "Zebra"]);
    expect((await list("limit=5000000")).meta).toMatchObject({ limit: 100 });
    const { titles, meta } = await list("sort_by=titlee&limit=1&offset=1");
    expect(titles).toEqual(["Better"]);
    expect(meta).toEqual({ total: 4, limit: 1, offset: 1, page: 2, pages: 4 });
    const unknown = await api("GET", `${base}/list?sort_by=colour`);
    expect([unknown.status, unknown.body["code"]]).toEqual([400, "invalid_request"]);
  });
});
