import { runService } from "@malipo/platform";
import { gatewayService } from "./service.ts";

await runService(process, gatewayService, { clock: () => new Date(), random: Math.random });
