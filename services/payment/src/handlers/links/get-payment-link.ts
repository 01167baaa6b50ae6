import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { describeLink } from "../../workflows/find-payment-target.ts";
import { viewLink } from "../../domain/payment-link.ts";

export const getPaymentLink =
  (deps: Deps): RouteHandler<typeof routes.getPaymentLink> =>
  async ({ businessid, params, cause, deadline }) => {
    const link = await describeLink(deps, { businessid, deadline }, params.id);
    return link.ok ? ok({ data: viewLink(link.value, deps.publicUrl, cause.now) }) : link;
  };
