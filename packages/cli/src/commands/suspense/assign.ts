import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";
import { usageProblem } from "../../command-error.ts";

export const suspenseAssign = command({
  name: "suspense assign",
  about: "Count suspended money for a transaction, or close the entry with a note",
  example: "malipo suspense assign 6743f1b2c9e8a45d3f0b7c21 --transaction 6743f1b2c9e8a45d3f0b7c22",
  args: { id: { about: "The entry, as suspense list shows it" } },
  options: {
    transaction: {
      takes: "id",
      about: "The transaction whose money it is: it is completed with it",
    },
    note: { takes: "text", about: "What was found out; alone it closes the entry" },
  },
  run: async ({ id, transaction, note }, { api, print }) => {
    if (transaction === undefined && note === undefined) {
      throw usageProblem("Give a --transaction, or a --note to close the entry.");
    }
    const { data, message } = await api.ask(routes.assignSuspense, {
      params: { id },
      body: {
        ...(transaction !== undefined && { transactionid: transaction }),
        ...(note !== undefined && { note }),
      },
    });
    print.record(data, [message]);
  },
});
