import { runService } from "@malipo/platform";
import { invoiceService } from "./service.ts";

await runService(process, invoiceService, { clock: () => new Date(), random: Math.random });
