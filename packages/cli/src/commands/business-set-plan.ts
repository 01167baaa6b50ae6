import { routes } from "@malipo/contracts";
import { command } from "../command.ts";
import { parseLimits, parsePlan } from "../values.ts";

export const businessSetPlan = command({
  name: "business set-plan",
  about: "Put a business on a plan",
  example: "malipo business set-plan 507f1f77bcf86cd799439011 enterprise --limits 50,1000,100000",
  args: {
    id: { about: "The business's id" },
    plan: { about: "free, starter, professional or enterprise" },
  },
  options: {
    limits: {
      takes: "second,minute,day",
      about: "An enterprise's own limits of requests; without them it has its plan's",
    },
  },
  run: async ({ id, plan, limits }, { api, print }) => {
    const body = {
      plan: parsePlan(plan),
      ...(limits !== undefined && { limits: parseLimits(limits) }),
    };
    const { data, message } = await api.ask(routes.setBusinessPlan, { params: { id }, body });
    print.record(data, [message]);
  },
});
