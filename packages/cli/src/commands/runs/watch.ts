import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";
import { watchRun } from "./follow-run.ts";

export const runsWatch = command({
  name: "runs watch",
  about: "Follow a run of the scheduler until it has ended; the newest if none is named",
  example: "malipo runs watch",
  args: { id: { about: "The run's id", optional: true } },
  options: {},
  run: async ({ id }, context) => {
    const named = id ?? (await newest(context.api));
    if (named === undefined) return context.print.note("There is no run to watch.");
    await watchRun(named, context);
  },
});

async function newest(api: Parameters<typeof watchRun>[1]["api"]): Promise<string | undefined> {
  const { data } = await api.ask(routes.listRuns, { query: { limit: "1" } });
  return data[0]?._id;
}
