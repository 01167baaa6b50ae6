import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewLink } from "../payment-link.ts";

export const handle =
  ({ links, publicUrl }: Deps): RouteHandler<typeof routes.getPaymentLink> =>
  async ({ businessid, params, cause }) => {
    const found = await links.find(businessid, params.id);
    if (!found) return err(notFound("payment link"));
    return ok({ data: viewLink(found.entity, publicUrl, cause.now) });
  };
