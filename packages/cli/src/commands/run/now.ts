import { jobNames, routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";
import { parseChoice } from "../../command-line/values.ts";
import { watchRun } from "../runs/follow-run.ts";

export const runNow = command({
  name: "run now",
  about: "Run a job of the scheduler at once, and follow it",
  example: "malipo run now subscriptions-due",
  args: { job: { about: `One of ${jobNames.join(", ")}` } },
  options: {},
  run: async ({ job }, context) => {
    const chosen = parseChoice("job", job, jobNames);
    const { data } = await context.api.ask(routes.startRun, { body: { job: chosen } });
    await watchRun(data._id, context);
  },
});
