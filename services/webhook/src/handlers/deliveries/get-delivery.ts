import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewDeliveryDetails } from "../../domain/delivery.ts";
import type { Deps } from "../../deps.ts";

export const getDelivery =
  ({ deliveries }: Deps): RouteHandler<typeof routes.getDelivery> =>
  async ({ businessid, params }) => {
    const delivery = await deliveries.find(businessid, params.id);
    return delivery ? ok({ data: viewDeliveryDetails(delivery) }) : err(notFound("delivery"));
  };
