import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewDelivery } from "../../domain/delivery.ts";
import type { Deps } from "../../deps.ts";
import { findEndpoint } from "../../workflows/find-endpoint.ts";

export const listDeliveries =
  ({ endpoints, deliveries }: Deps): RouteHandler<typeof routes.listDeliveries> =>
  async ({ businessid, params, query }) => {
    const endpoint = await findEndpoint(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    const page = await deliveries.page(businessid, endpoint.value.id, query);
    return ok({ data: page.deliveries.map(viewDelivery), paging: page.paging });
  };
