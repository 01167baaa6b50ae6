import { expect, it } from "vitest";
import { subscriptionPlanRoutes } from "./subscription-plan.ts";

const { query } = subscriptionPlanRoutes.listPlans;

it("the list of plans reads any limit above 100 as 100", () => {
  for (const limit of ["101", "9".repeat(12), "9".repeat(400)]) {
    expect(query.parse({ limit })).toMatchObject({ limit: 100 });
  }
});

it("the list of plans rejects an offset above 100,000 and names the maximum", () => {
  expect(query.safeParse({ offset: "100000" }).success).toBe(true);
  for (const offset of ["100001", "9".repeat(12), "9".repeat(400)]) {
    const messages = query.safeParse({ offset }).error?.issues.map(({ message }) => message);
    expect(messages).toEqual(["must be at most 100000"]);
  }
});
