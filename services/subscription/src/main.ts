import { runService } from "@malipo/platform";
import { subscriptionService } from "./service.ts";

await runService(process, subscriptionService, { clock: () => new Date(), random: Math.random });
