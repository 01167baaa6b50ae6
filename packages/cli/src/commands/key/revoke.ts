import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const keyRevoke = command({
  name: "key revoke",
  about: "Revoke a key: its secret is refused within a second",
  example: "malipo key revoke 507f1f77bcf86cd799439011",
  args: { keyid: { about: "The key's id" } },
  options: {},
  run: async ({ keyid }, { api, print }) => {
    const { data, message } = await api.ask(routes.revokeKey, { params: { id: keyid } });
    print.record(data, [message]);
  },
});
