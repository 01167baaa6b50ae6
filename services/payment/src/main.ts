import { runService } from "@malipo/platform";
import { paymentService } from "./service.ts";

await runService(process, paymentService, { clock: () => new Date(), random: Math.random });
