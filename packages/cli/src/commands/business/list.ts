import { routes } from "@malipo/contracts";
import { defineCommand, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const businessList = defineCommand({
  name: "business list",
  description: "List businesses, newest first",
  example: "malipo business list --limit 50",
  args: {},
  options: pageOptions,
  run: async ({ page, limit }, { api, printer }) => {
    const { data, paging } = await api.call(routes.listBusinesses, { query: { page, limit } });
    printer.list(
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
    notePaging(printer, paging);
  },
});
