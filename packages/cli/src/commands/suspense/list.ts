import { routes } from "@malipo/contracts";
import { command, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";

export const suspenseList = command({
  name: "suspense list",
  about: "List money that came and matches nothing, oldest first",
  example: "malipo suspense list --status open",
  args: {},
  options: {
    status: { takes: "status", about: "open (if not given), assigned or closed" },
    ...pageOptions,
  },
  run: async ({ status, page, limit }, { api, print }) => {
    const { data, paging } = await api.ask(routes.listSuspense, { query: { status, page, limit } });
    print.list(
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
    notePaging(print, paging);
  },
});
