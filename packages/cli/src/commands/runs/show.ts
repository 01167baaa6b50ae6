import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const runsShow = defineCommand({
  name: "runs show",
  description: "Show one run of the scheduler",
  example: "malipo runs show 6743f1b2c9e8a45d3f0b7c21",
  args: { id: { description: "The run's id" } },
  options: {},
  run: async ({ id }, { api, printer }) => {
    const { data } = await api.call(routes.getRun, { params: { id } });
    printer.record(data);
  },
});
