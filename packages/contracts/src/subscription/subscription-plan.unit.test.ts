import { expect, it } from "vitest";
import { subscriptionPlanRoutes } from "./subscription-plan.ts";

const { query } = subscriptionPlanRoutes.listPlans;

it("caps a limit above 100, however large, instead of refusing it", () => {
  for (const limit of ["101", "9".repeat(12), "9".repeat(400)]) {
    expect(query.parse({ limit })).toMatchObject({ limit: 100 });
  }
});

it("says how far an offset may reach, however far it goes", () => {
  expect(query.safeParse({ offset: "100000" }).success).toBe(true);
  for (const offset of ["100001", "9".repeat(12), "9".repeat(400)]) {
    const said = query.safeParse({ offset }).error?.issues.map(({ message }) => message);
    expect(said).toEqual(["must be at most 100000"]);
  }
});
