import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";
import { parseLimits, parsePlan } from "../../command-line/values.ts";

export const businessCreate = defineCommand({
  name: "business create",
  description: "Create a business",
  example: 'malipo business create --name "Duka la Asha" --plan free',
  args: {},
  options: {
    name: { valueName: "name", required: true, description: "The name of the business" },
    plan: {
      valueName: "plan",
      required: true,
      description: "free, starter, professional or enterprise",
    },
    limits: {
      valueName: "second,minute,day",
      description: "Request limits of an enterprise business, such as 50,1000,100000",
    },
  },
  run: async ({ name, plan, limits }, { api, printer }) => {
    const body = {
      name,
      plan: parsePlan(plan),
      ...(limits !== undefined && { limits: parseLimits(limits) }),
    };
    const { data, message } = await api.call(routes.createBusiness, { body });
    printer.record(data, [message]);
  },
});
