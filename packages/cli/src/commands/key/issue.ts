import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const keyIssue = defineCommand({
  name: "key issue",
  description: "Issue a secret for a business",
  example: "malipo key issue 507f1f77bcf86cd799439011",
  args: { businessid: { description: "The business's id" } },
  options: {},
  run: async ({ businessid }, { api, printer }) => {
    const { data, message } = await api.call(routes.issueKey, { params: { id: businessid } });
    printer.record(data, [message, "The secret is shown only this once: keep it now."]);
  },
});
