import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

const usualLimit = 100;

export const deadList = command({
  name: "dead list",
  about: "List events that a handler refused too often, oldest first",
  example: "malipo dead list --from 200 --limit 20",
  args: {},
  options: {
    from: { takes: "seq", about: "The first one to show" },
    limit: { takes: "number", about: `How many, at most ${usualLimit}` },
  },
  run: async ({ from, limit }, { api, print }) => {
    const { data } = await api.ask(routes.listDeadLetters, { query: { from, limit } });
    print.list(
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
    if (last && data.length === Math.min(usualLimit, Number(limit ?? usualLimit))) {
      print.note(`There may be more: go on with --from ${last.seq + 1}.`);
    }
  },
});
