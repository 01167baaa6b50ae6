import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const businessShow = command({
  name: "business show",
  about: "Show one business with its settings",
  example: "malipo business show 507f1f77bcf86cd799439011",
  args: { id: { about: "The business's id" } },
  options: {},
  run: async ({ id }, { api, print }) => {
    const { data } = await api.ask(routes.getBusiness, { params: { id } });
    print.record(data);
  },
});
