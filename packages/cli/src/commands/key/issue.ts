import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const keyIssue = command({
  name: "key issue",
  about: "Issue a secret for a business",
  example: "malipo key issue 507f1f77bcf86cd799439011",
  args: { businessid: { about: "The business's id" } },
  options: {},
  run: async ({ businessid }, { api, print }) => {
    const { data, message } = await api.ask(routes.issueKey, { params: { id: businessid } });
    print.record(data, [message, "The secret is shown only this once: keep it now."]);
  },
});
