import { parkedRoutesByService } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";
import { Problem, usageProblem } from "../../command-error.ts";

export const parkedRetry = command({
  name: "parked retry",
  about: "Try again what was parked: one record, or all of them",
  example: "malipo parked retry --all",
  args: { id: { about: "The record's id", optional: true } },
  options: { all: { about: "All that is parked" } },
  run: async ({ id, all }, { api, print }) => {
    if ((id === undefined) === !all) throw usageProblem("Name one, or say --all.");
    const body = id === undefined ? {} : { id };
    const answers = await Promise.all(
      Object.values(parkedRoutesByService).map(async ({ retry }) => api.ask(retry, { body })),
    );
    const retried = answers.reduce((sum, { data }) => sum + data.retried, 0);
    if (id !== undefined && retried === 0) {
      throw new Problem("refused", "Nothing of that id is parked.");
    }
    print.record({ retried });
  },
});
