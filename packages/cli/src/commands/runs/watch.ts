import { routes } from "@malipo/contracts";
import type { ApiClient } from "../../api/api-client.ts";
import { defineCommand } from "../../command-line/command.ts";
import { followRun } from "./follow-run.ts";

export const runsWatch = defineCommand({
  name: "runs watch",
  description: "Follow a run of the scheduler until it has ended; the newest if none is named",
  example: "malipo runs watch",
  args: { id: { description: "The run's id", optional: true } },
  options: {},
  run: async ({ id }, context) => {
    const runId = id ?? (await findNewestRun(context.api));
    if (runId === undefined) return context.printer.note("There is no run to watch.");
    await followRun(runId, context);
  },
});

async function findNewestRun(api: ApiClient): Promise<string | undefined> {
  const { data } = await api.call(routes.listRuns, { query: { limit: "1" } });
  return data[0]?._id;
}
