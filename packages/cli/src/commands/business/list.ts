import { routes } from "@malipo/contracts";
import { command, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const businessList = command({
  name: "business list",
  about: "List businesses, newest first",
  example: "malipo business list --limit 50",
  args: {},
  options: pageOptions,
  run: async ({ page, limit }, { api, print }) => {
    const { data, paging } = await api.ask(routes.listBusinesses, { query: { page, limit } });
    print.list(
      data,
      [
        { heading: "ID", cell: ({ _id }) => _id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "PLAN", cell: ({ plan }) => plan },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "CREATED", cell: ({ createdat }) => createdat },
      ],
      "No businesses here.",
    );
    notePaging(print, paging);
  },
});
