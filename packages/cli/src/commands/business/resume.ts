import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const businessResume = defineCommand({
  name: "business resume",
  description: "Resume a suspended business",
  example: "malipo business resume 507f1f77bcf86cd799439011",
  args: { id: { description: "The business's id" } },
  options: {},
  run: async ({ id }, { api, printer }) => {
    const { data, message } = await api.call(routes.resumeBusiness, { params: { id } });
    printer.record(data, [message]);
  },
});
