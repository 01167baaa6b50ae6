import { routes } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const billingExplain = command({
  name: "billing explain",
  about: "Say what happened to a subscription, and what will happen next and when",
  example: "malipo billing explain 6743f1b2c9e8a45d3f0b7c21",
  args: { subscription: { about: "The subscription's id" } },
  options: {},
  run: async ({ subscription }, { api, print }) => {
    const params = { id: subscription };
    const { data } = await api.ask(routes.explainSubscription, { params });
    const { sentences, ...shown } = data;
    print.record(data, sentences, shown);
  },
});
