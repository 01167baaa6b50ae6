import { gatewayService } from "@malipo/gateway/service";
import { invoiceService } from "@malipo/invoice/service";
import { paymentService } from "@malipo/payment/service";
import { runServices } from "@malipo/platform";
import { schedulerService } from "@malipo/scheduler/service";
import { subscriptionService } from "@malipo/subscription/service";
import { webhookService } from "@malipo/webhook/service";

/** All services in one process. `SERVICES` holds each one's environment, by its name. */
const environments = JSON.parse(process.env["SERVICES"] ?? "{}") as Record<
  string,
  Record<string, string> | undefined
>;

await runServices(
  process,
  [
    gatewayService,
    invoiceService,
    paymentService,
    subscriptionService,
    webhookService,
    schedulerService,
  ],
  (service) => environments[service] ?? {},
  { clock: () => new Date(), random: Math.random },
);
