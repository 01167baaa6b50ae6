import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewBusiness } from "../business.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ businesses }: Deps): RouteHandler<typeof routes.getBusiness> =>
  async ({ params }) => {
    const business = await businesses.find(params.id);
    if (!business) return err(fault("not_found", { text: "Business not found" }));
    return ok({ data: viewBusiness(business) });
  };
