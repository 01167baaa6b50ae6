import { routes } from "@malipo/contracts";
import { command, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const keyList = command({
  name: "key list",
  about: "List a business's keys, newest first",
  example: "malipo key list 507f1f77bcf86cd799439011",
  args: { businessid: { about: "The business's id" } },
  options: pageOptions,
  run: async ({ businessid, page, limit }, { api, print }) => {
    const asked = { params: { id: businessid }, query: { page, limit } };
    const { data, paging } = await api.ask(routes.listKeys, asked);
    print.list(
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
    notePaging(print, paging);
  },
});
