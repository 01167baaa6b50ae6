import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const businessSuspend = defineCommand({
  name: "business suspend",
  description: "Suspend a business: its requests get 403 until it is resumed",
  example: "malipo business suspend 507f1f77bcf86cd799439011",
  args: { id: { description: "The business's id" } },
  options: {},
  run: async ({ id }, { api, printer }) => {
    const { data, message } = await api.call(routes.suspendBusiness, { params: { id } });
    printer.record(data, [message]);
  },
});
