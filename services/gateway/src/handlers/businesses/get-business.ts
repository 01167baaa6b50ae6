import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewBusiness } from "../../domain/business.ts";

export const getBusiness =
  ({ businesses, onboarding }: Deps): RouteHandler<typeof routes.getBusiness> =>
  async ({ params: { id } }) => {
    const found = await businesses.find(id, id);
    if (!found) return err(notFound("business"));
    const firstproductat = await onboarding.firstProductOf(found.entity.id);
    return ok({
      data: {
        ...viewBusiness(found.entity),
        firstproductat: firstproductat?.toISOString() ?? null,
      },
    });
  };
