import { type JobName, jobNames, routes } from "@malipo/contracts";
import { command, pageOptions } from "../../command-line/command.ts";
import { notePaging } from "../../output/printer.ts";
import { parseChoice } from "../../command-line/values.ts";

export const runsList = command({
  name: "runs list",
  about:
    "List the scheduler's runs, newest first; those that found something if not told otherwise",
  example: "malipo runs list --job subscriptions-due --all",
  args: {},
  options: {
    job: { takes: "job", about: `One of ${jobNames.join(", ")}` },
    all: { about: "Also those that found nothing" },
    ...pageOptions,
  },
  run: async ({ job, all, page, limit }, { api, print }) => {
    const chosen: JobName | undefined =
      job === undefined ? undefined : parseChoice("--job", job, jobNames);
    const found = all ? "any" : "some";
    const { data, paging } = await api.ask(routes.listRuns, {
      query: { job: chosen, found, page, limit },
    });
    print.list(
      data,
      [
        { heading: "ID", cell: ({ _id }) => _id },
        { heading: "JOB", cell: (run) => run.job },
        { heading: "AT", cell: ({ createdat }) => createdat },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "FOUND", cell: (run) => run.found },
        { heading: "DONE", cell: ({ done }) => done },
        { heading: "SKIPPED", cell: ({ skipped }) => skipped },
        { heading: "FAILED", cell: ({ failed }) => failed },
        { heading: "LAG S", cell: ({ lagseconds }) => lagseconds ?? "-" },
        { heading: "SECONDS", cell: ({ seconds }) => seconds ?? "-" },
      ],
      "No runs here.",
    );
    notePaging(print, paging);
  },
});
