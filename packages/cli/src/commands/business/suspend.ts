import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const businessSuspend = command({
  name: "business suspend",
  about: "Suspend a business: its requests get 403 until it is resumed",
  example: "malipo business suspend 507f1f77bcf86cd799439011",
  args: { id: { about: "The business's id" } },
  options: {},
  run: async ({ id }, { api, print }) => {
    const { data, message } = await api.ask(routes.suspendBusiness, { params: { id } });
    print.record(data, [message]);
  },
});
