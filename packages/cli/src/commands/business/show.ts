import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const businessShow = defineCommand({
  name: "business show",
  description: "Show one business with its settings",
  example: "malipo business show 507f1f77bcf86cd799439011",
  args: { id: { description: "The business's id" } },
  options: {},
  run: async ({ id }, { api, printer }) => {
    const { data } = await api.call(routes.getBusiness, { params: { id } });
    printer.record(data);
  },
});
