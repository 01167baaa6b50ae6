import { type JobName, jobNames, routes } from "@malipo/contracts";
import { defineCommand, pageOptions } from "../../command-line/command.ts";
import { parseChoice } from "../../command-line/values.ts";
import { notePaging } from "../../output/printer.ts";

export const runsList = defineCommand({
  name: "runs list",
  description:
    "List the scheduler's runs, newest first; without --all only those that found something",
  example: "malipo runs list --job subscriptions-due --all",
  args: {},
  options: {
    job: { valueName: "job", description: `One of ${jobNames.join(", ")}` },
    all: { description: "Also those that found nothing" },
    ...pageOptions,
  },
  run: async ({ job, all, page, limit }, { api, printer }) => {
    const chosen: JobName | undefined =
      job === undefined ? undefined : parseChoice("--job", job, jobNames);
    const found = all ? "any" : "some";
    const { data, paging } = await api.call(routes.listRuns, {
      query: { job: chosen, found, page, limit },
    });
    printer.list(
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
    notePaging(printer, paging);
  },
});
