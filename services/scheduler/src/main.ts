import { runService } from "@malipo/platform";
import { schedulerService } from "./service.ts";

await runService(process, schedulerService, { clock: () => new Date(), random: Math.random });
