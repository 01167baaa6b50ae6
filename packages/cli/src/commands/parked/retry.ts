import { parkedRoutesByService } from "@malipo/contracts";
import { CommandError, usageError } from "../../command-error.ts";
import { defineCommand } from "../../command-line/command.ts";

export const parkedRetry = defineCommand({
  name: "parked retry",
  description: "Retry parked records: one, or all of them",
  example: "malipo parked retry --all",
  args: { id: { description: "The record's id", optional: true } },
  options: { all: { description: "All parked records" } },
  run: async ({ id, all }, { api, printer }) => {
    if ((id === undefined) === !all) throw usageError("Give either an <id> or --all.");
    const body = id === undefined ? {} : { id };
    const results = await Promise.all(
      Object.values(parkedRoutesByService).map(async ({ retry }) => api.call(retry, { body })),
    );
    const retried = results.reduce((sum, { data }) => sum + data.retried, 0);
    if (id !== undefined && retried === 0) {
      throw new CommandError("refused", "No record with this id is parked.");
    }
    printer.record({ retried });
  },
});
