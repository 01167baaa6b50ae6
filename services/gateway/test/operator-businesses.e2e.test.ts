import { allRoutes } from "@malipo/contracts";
import {
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  useSystem,
} from "@malipo/testing";
import { beforeEach, describe, expect, it } from "vitest";
import {
  bothGateways,
  expectAtBothGateways,
  getSettings,
  listIn,
  propagationMs,
} from "./operator-calls.ts";

const system = useSystem([], { gateways: 2 });
const { operator } = system;
const someId = "507f1f77bcf86cd799439011";
const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");

let own: { businessid: string; secret: string };
beforeEach(async () => {
  own = await makeBusiness(system.gateway());
});

describe("a business", () => {
  it("is created, found, and listed first", async () => {
    const created = await operator("POST", "/operator/business/create", {
      name: "Mama Mboga",
      plan: "starter",
    });
    expect([created.status, created.body["message"]]).toEqual([
      201,
      "Business created successfully",
    ]);
    expect(dataOf(created)).toMatchObject({
      name: "Mama Mboga",
      plan: "starter",
      limits: null,
      status: "active",
      settings: { displayname: "Mama Mboga", duedays: 7, duedaysweekly: 3, partpayment: true },
    });
    const found = await operator("GET", `/operator/business/details/${idIn(created)}`);
    expect(dataOf(found)).toEqual({ ...dataOf(created), firstproductat: null });
    const listed = await operator("GET", "/operator/business/list?limit=1");
    expect(listIn(listed)).toEqual([dataOf(created)]);
    expect(listed.body["meta"]).toMatchObject({ page: 1, limit: 1 });
  });

  it.each([
    [{ plan: "free" }, "name is required"],
    [{ name: "", plan: "free" }, "name must not be empty"],
    [{ name: "A", plan: "gold" }, "plan must be one of: free, starter, professional, enterprise"],
    [
      { name: "A", plan: "free", limits: { second: 1, minute: 1, day: 1 } },
      "limits are set for the enterprise plan only",
    ],
    [
      { name: "A", plan: "enterprise", limits: { second: 0, minute: 1, day: 1 } },
      "limits.second must be at least 1",
    ],
  ])("is not created from %j: %s", async (body, text) => {
    const answer = await operator("POST", "/operator/business/create", body);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("gets 403 on every route of both gateways while it is suspended", async () => {
    await expectAtBothGateways(system, own.secret, 200);
    const suspended = await operator("POST", `/operator/business/suspend/${own.businessid}`);
    expect([suspended.status, dataOf(suspended)["status"]]).toEqual([200, "suspended"]);
    await expectAtBothGateways(system, own.secret, 403);
    for (const { apiUrl } of bothGateways(system)) {
      for (const route of publicRoutes) {
        const url = apiUrl + route.path.replace(":id", someId);
        const body = route.method === "GET" ? undefined : {};
        const answer = await call(url, route.method, own.secret, body);
        expect({ url, status: answer.status, code: answer.body["code"] }).toEqual({
          url,
          status: 403,
          code: "business_suspended",
        });
      }
    }
    const again = await operator("POST", `/operator/business/suspend/${own.businessid}`);
    expect([again.status, again.body["error"]]).toEqual([409, "Business is suspended"]);

    const resumed = await operator("POST", `/operator/business/resume/${own.businessid}`);
    expect([resumed.status, dataOf(resumed)["status"]]).toEqual([200, "active"]);
    await expectAtBothGateways(system, own.secret, 200);
    const resumedAgain = await operator("POST", `/operator/business/resume/${own.businessid}`);
    expect([resumedAgain.status, resumedAgain.body["error"]]).toEqual([409, "Business is active"]);
  });

  it("does not affect another business when it is suspended", async () => {
    await operator("POST", `/operator/business/suspend/${own.businessid}`);
    await expectAtBothGateways(system, own.secret, 403);
    await expectAtBothGateways(system, system.business.secret, 200);
  });

  it("has the limits of a new plan within a second at both gateways", async () => {
    await expectAtBothGateways(system, own.secret, 200);
    const custom = { second: 7, minute: 1_000, day: 100_000 };
    for (const [terms, limit] of [
      [{ plan: "starter" }, "10"],
      [{ plan: "enterprise", limits: custom }, "7"],
      [{ plan: "professional" }, "25"],
    ] as const) {
      const set = await operator("POST", `/operator/business/set-plan/${own.businessid}`, terms);
      expect([set.status, dataOf(set)["plan"]]).toEqual([200, terms.plan]);
      expect(dataOf(set)["limits"]).toEqual("limits" in terms ? terms.limits : null);
      await eventually(async () => {
        for (const gateway of bothGateways(system)) {
          const answer = await getSettings(own.secret, gateway);
          expect(answer.headers.get("x-ratelimit-limit")).toBe(limit);
        }
      }, propagationMs);
    }
    const invalid = { plan: "starter", limits: custom };
    const refused = await operator(
      "POST",
      `/operator/business/set-plan/${own.businessid}`,
      invalid,
    );
    expect([refused.status, refused.body["error"]]).toEqual([
      400,
      "limits are set for the enterprise plan only",
    ]);
  });

  it("publishes an event for each change, in order", async () => {
    const { businessid } = own;
    await operator("POST", `/operator/business/suspend/${businessid}`);
    await operator("POST", `/operator/business/resume/${businessid}`);
    await operator("POST", `/operator/business/set-plan/${businessid}`, { plan: "starter" });
    const last = await operator("PATCH", `/operator/business/set/${businessid}`, { duedays: 30 });
    await eventually(async () => {
      const events = (await readEvents(system.servers)).filter(
        (each) => each.recordid === businessid,
      );
      expect(events.map(({ type, seq, businessid }) => ({ type, seq, businessid }))).toEqual(
        ["created", "suspended", "resumed", "updated", "updated"].map((change, index) => ({
          type: `business.${change}`,
          seq: index + 1,
          businessid,
        })),
      );
      expect(events.map(({ data }) => (data as { status: string }).status)).toEqual([
        "active",
        "suspended",
        "active",
        "active",
        "active",
      ]);
      expect(events.at(-1)?.data).toEqual(dataOf(last));
    });
  });
});
