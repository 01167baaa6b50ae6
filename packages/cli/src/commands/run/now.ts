import { jobNames, routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";
import { parseChoice } from "../../command-line/values.ts";
import { followRun } from "../runs/follow-run.ts";

export const runNow = defineCommand({
  name: "run now",
  description: "Run a job of the scheduler at once, and follow it",
  example: "malipo run now subscriptions-due",
  args: { job: { description: `One of ${jobNames.join(", ")}` } },
  options: {},
  run: async ({ job }, context) => {
    const chosen = parseChoice("job", job, jobNames);
    const { data } = await context.api.call(routes.startRun, { body: { job: chosen } });
    await followRun(data._id, context);
  },
});
