import type { ServiceName } from "@malipo/contracts";
import { platformConfig, type readConfig } from "@malipo/platform";
import { gatewayConfig } from "../../services/gateway/src/config.ts";
import { invoiceConfig } from "../../services/invoice/src/config.ts";
import { paymentConfig } from "../../services/payment/src/config.ts";
import { subscriptionConfig } from "../../services/subscription/src/config.ts";
import { webhookConfig } from "../../services/webhook/src/config.ts";

/** The schema of each service's environment. */
export const serviceConfigs: Readonly<Record<ServiceName, Parameters<typeof readConfig>[0]>> = {
  gateway: gatewayConfig,
  subscription: subscriptionConfig,
  invoice: invoiceConfig,
  payment: paymentConfig,
  webhook: webhookConfig,
  scheduler: platformConfig,
};
