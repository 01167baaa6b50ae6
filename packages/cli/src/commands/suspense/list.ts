import { routes } from "@malipo/contracts";
import { defineCommand, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const suspenseList = defineCommand({
  name: "suspense list",
  description: "List received money that could not be matched, oldest first",
  example: "malipo suspense list --status open",
  args: {},
  options: {
    status: { valueName: "status", description: "open (if not given), assigned or closed" },
    ...pageOptions,
  },
  run: async ({ status, page, limit }, { api, printer }) => {
    const { data, paging } = await api.call(routes.listSuspense, {
      query: { status, page, limit },
    });
    printer.list(
      data,
      [
        { heading: "ID", cell: ({ _id }) => _id },
        { heading: "AT", cell: ({ createdat }) => createdat },
        { heading: "KIND", cell: ({ kind }) => kind },
        { heading: "AMOUNT", cell: ({ amount }) => amount ?? "?" },
        { heading: "RECEIPT", cell: ({ momoreceiptnumber }) => momoreceiptnumber ?? "-" },
        { heading: "CAME WITH", cell: ({ transactionid }) => transactionid },
      ],
      "No money in suspense.",
    );
    notePaging(printer, paging);
  },
});
