import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewSettings } from "../settings.ts";

export const handle =
  ({ businesses }: Deps): RouteHandler<typeof routes.getSettings> =>
  async ({ businessid }) => {
    const found = await businesses.find(businessid, businessid);
    if (!found) return err(fault("not_found", { text: "Business not found" }));
    return ok({ data: viewSettings(found.entity.settings) });
  };
