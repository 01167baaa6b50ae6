import { runService } from "@malipo/platform";
import { webhookConfig } from "./config.ts";
import { runWebhook } from "./run-webhook.ts";

await runService(
  process,
  "webhook",
  webhookConfig,
  () => new Date(),
  async (service, config) => void (await runWebhook(service, config)),
);
