import { routes } from "@malipo/contracts";
import { command } from "../command.ts";
import { usageProblem } from "../problem.ts";

export const parkedRetry = command({
  name: "parked retry",
  about: "Try again what was parked: one subscription, or all of them",
  example: "malipo parked retry --all",
  args: { id: { about: "The subscription's id", optional: true } },
  options: { all: { about: "All that is parked" } },
  run: async ({ id, all }, { api, print }) => {
    if ((id === undefined) === !all) throw usageProblem("Name one, or say --all.");
    const { data } = await api.ask(routes.retryParkedSubscriptions, {
      body: id === undefined ? {} : { id },
    });
    print.record(data);
  },
});
