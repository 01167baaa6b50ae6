import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";
import { parseLimits, parsePlan } from "../../command-line/values.ts";

export const businessCreate = command({
  name: "business create",
  about: "Create a business",
  example: 'malipo business create --name "Duka la Asha" --plan free',
  args: {},
  options: {
    name: { takes: "name", required: true, about: "What the business is called" },
    plan: { takes: "plan", required: true, about: "free, starter, professional or enterprise" },
    limits: {
      takes: "second,minute,day",
      about: "An enterprise's own limits of requests, such as 50,1000,100000",
    },
  },
  run: async ({ name, plan, limits }, { api, print }) => {
    const body = {
      name,
      plan: parsePlan(plan),
      ...(limits !== undefined && { limits: parseLimits(limits) }),
    };
    const { data, message } = await api.ask(routes.createBusiness, { body });
    print.record(data, [message]);
  },
});
