import type { calls } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewBusiness } from "../../domain/business.ts";

export const describeBusiness =
  ({ businesses }: Deps): RouteHandler<typeof calls.describeBusiness> =>
  async ({ body: { businessid } }) => {
    const found = await businesses.find(businessid, businessid);
    if (!found) return err(fault("not_found", { text: "Business not found" }));
    return ok({ data: { seq: found.eventState.seq, business: viewBusiness(found.entity) } });
  };
