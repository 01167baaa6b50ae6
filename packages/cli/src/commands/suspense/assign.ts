import { routes } from "@malipo/contracts";
import { usageError } from "../../command-error.ts";
import { defineCommand } from "../../command-line/command.ts";

export const suspenseAssign = defineCommand({
  name: "suspense assign",
  description: "Assign unmatched money to a transaction, or close the entry with a note",
  example: "malipo suspense assign 6743f1b2c9e8a45d3f0b7c21 --transaction 6743f1b2c9e8a45d3f0b7c22",
  args: { id: { description: "The entry, as suspense list shows it" } },
  options: {
    transaction: {
      valueName: "id",
      description: "The transaction that the money belongs to; it becomes completed",
    },
    note: {
      valueName: "text",
      description: "A note on the decision; without --transaction it closes the entry",
    },
  },
  run: async ({ id, transaction, note }, { api, printer }) => {
    if (transaction === undefined && note === undefined) {
      throw usageError("Give a --transaction, or a --note to close the entry.");
    }
    const { data, message } = await api.call(routes.assignSuspense, {
      params: { id },
      body: {
        ...(transaction !== undefined && { transactionid: transaction }),
        ...(note !== undefined && { note }),
      },
    });
    printer.record(data, [message]);
  },
});
