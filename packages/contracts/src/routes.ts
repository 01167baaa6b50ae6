import { businessRoutes } from "./business.ts";
import { customerRoutes } from "./customer.ts";
import { deadLetterRoutes } from "./dead-letter.ts";
import { keyRoutes } from "./key.ts";
import { productRoutes } from "./product.ts";
import { resendRoutes } from "./resend.ts";
import { settingsRoutes } from "./settings.ts";
import type { Route, ServiceName } from "./route.ts";

/** The whole surface: what is not here does not exist. */
export const routes = {
  ...businessRoutes,
  ...keyRoutes,
  ...settingsRoutes,
  ...customerRoutes,
  ...productRoutes,
  ...deadLetterRoutes,
  ...resendRoutes,
} as const;

export const allRoutes: readonly Route[] = Object.values(routes);

export function routesOf(service: ServiceName): readonly Route[] {
  return allRoutes.filter((route) => route.service === service);
}
