import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

const limitMax = 100;

export const deadList = defineCommand({
  name: "dead list",
  description: "List dead letters (events that failed too often), oldest first",
  example: "malipo dead list --from 200 --limit 20",
  args: {},
  options: {
    from: { valueName: "seq", description: "The number of the first one to show" },
    limit: { valueName: "number", description: `How many, at most ${limitMax}` },
  },
  run: async ({ from, limit }, { api, printer }) => {
    const { data } = await api.call(routes.listDeadLetters, { query: { from, limit } });
    printer.list(
      data,
      [
        { heading: "SEQ", cell: ({ seq }) => seq },
        { heading: "AT", cell: ({ at }) => at },
        { heading: "CONSUMER", cell: ({ consumer }) => consumer },
        { heading: "EVENT", cell: ({ event }) => event },
        { heading: "REASON", cell: ({ reason }) => reason },
      ],
      "No dead letters here.",
    );
    const last = data.at(-1);
    if (last && data.length === Math.min(limitMax, Number(limit ?? limitMax))) {
      printer.note(`There may be more: go on with --from ${last.seq + 1}.`);
    }
  },
});
