import { routes } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const billingExplain = defineCommand({
  name: "billing explain",
  description: "Explain what happened to a subscription, and what will happen next and when",
  example: "malipo billing explain 6743f1b2c9e8a45d3f0b7c21",
  args: { subscription: { description: "The subscription's id" } },
  options: {},
  run: async ({ subscription }, { api, printer }) => {
    const params = { id: subscription };
    const { data } = await api.call(routes.explainSubscription, { params });
    const { sentences, ...shown } = data;
    printer.record(data, sentences, shown);
  },
});
