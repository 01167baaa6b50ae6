import { runService } from "@malipo/platform";
import { webhookService } from "./service.ts";

await runService(process, webhookService, { clock: () => new Date(), random: Math.random });
