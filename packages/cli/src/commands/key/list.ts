import { routes } from "@malipo/contracts";
import { defineCommand, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const keyList = defineCommand({
  name: "key list",
  description: "List a business's keys, newest first",
  example: "malipo key list 507f1f77bcf86cd799439011",
  args: { businessid: { description: "The business's id" } },
  options: pageOptions,
  run: async ({ businessid, page, limit }, { api, printer }) => {
    const input = { params: { id: businessid }, query: { page, limit } };
    const { data, paging } = await api.call(routes.listKeys, input);
    printer.list(
      data,
      [
        { heading: "ID", cell: ({ _id }) => _id },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "CREATED", cell: ({ createdat }) => createdat },
        { heading: "LAST USED", cell: ({ lastusedat }) => lastusedat },
        { heading: "ENDS", cell: ({ revokedat, expiresat }) => revokedat ?? expiresat },
      ],
      "No keys here.",
    );
    notePaging(printer, paging);
  },
});
