import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const runsShow = command({
  name: "runs show",
  about: "Show one run of the scheduler",
  example: "malipo runs show 6743f1b2c9e8a45d3f0b7c21",
  args: { id: { about: "The run's id" } },
  options: {},
  run: async ({ id }, { api, print }) => {
    const { data } = await api.ask(routes.getRun, { params: { id } });
    print.record(data);
  },
});
