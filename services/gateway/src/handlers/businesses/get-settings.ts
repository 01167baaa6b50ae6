import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewSettings } from "../../domain/settings.ts";

export const getSettings =
  ({ businesses }: Deps): RouteHandler<typeof routes.getSettings> =>
  async ({ businessid }) => {
    const found = await businesses.find(businessid, businessid);
    if (!found) return err(notFound("business"));
    return ok({ data: viewSettings(found.entity.settings) });
  };
