import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";
import { parseLimits, parsePlan } from "../../command-line/values.ts";

export const businessSetPlan = defineCommand({
  name: "business set-plan",
  description: "Change the plan of a business",
  example: "malipo business set-plan 507f1f77bcf86cd799439011 enterprise --limits 50,1000,100000",
  args: {
    id: { description: "The business's id" },
    plan: { description: "free, starter, professional or enterprise" },
  },
  options: {
    limits: {
      valueName: "second,minute,day",
      description: "Request limits of an enterprise business; those of the plan if not given",
    },
  },
  run: async ({ id, plan, limits }, { api, printer }) => {
    const body = {
      plan: parsePlan(plan),
      ...(limits !== undefined && { limits: parseLimits(limits) }),
    };
    const { data, message } = await api.call(routes.setBusinessPlan, { params: { id }, body });
    printer.record(data, [message]);
  },
});
