import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const businessResume = command({
  name: "business resume",
  about: "Resume a suspended business",
  example: "malipo business resume 507f1f77bcf86cd799439011",
  args: { id: { about: "The business's id" } },
  options: {},
  run: async ({ id }, { api, print }) => {
    const { data, message } = await api.ask(routes.resumeBusiness, { params: { id } });
    print.record(data, [message]);
  },
});
