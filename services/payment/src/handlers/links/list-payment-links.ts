import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewLink } from "../../domain/payment-link.ts";

export const listPaymentLinks =
  ({ links, publicUrl }: Deps): RouteHandler<typeof routes.listPaymentLinks> =>
  async ({ businessid, query, cause }) => {
    const { entities, paging } = await links.page(businessid, {}, query);
    return ok({ data: entities.map((link) => viewLink(link, publicUrl, cause.now)), paging });
  };
