import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const keyRevoke = defineCommand({
  name: "key revoke",
  description: "Revoke a key: its secret is refused within a second",
  example: "malipo key revoke 507f1f77bcf86cd799439011",
  args: { keyid: { description: "The key's id" } },
  options: {},
  run: async ({ keyid }, { api, printer }) => {
    const { data, message } = await api.call(routes.revokeKey, { params: { id: keyid } });
    printer.record(data, [message]);
  },
});
