import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewDelivery } from "../../domain/delivery.ts";
import type { Deps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { announceDue } from "../../delivery/worker.ts";

export const resendDelivery =
  ({ service, endpoints, deliveries, queues }: Deps): RouteHandler<typeof routes.resendDelivery> =>
  async ({ businessid, params, cause }) => {
    const found = await deliveries.find(businessid, params.id);
    if (!found) return err(notFound("delivery"));
    const endpoint = await findEnabledEndpoint(endpoints, businessid, found.endpointid);
    if (!endpoint.ok) return endpoint;
    const resent = await deliveries.resend(businessid, params.id, cause);
    if (!resent) return err(notFound("delivery"));
    await queues.restart(found.endpointid, cause.now);
    announceDue(service, [found.endpointid]);
    return ok({ data: viewDelivery(resent) });
  };
