import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { announceDue } from "../../delivery/worker.ts";

export const resendFailedDeliveries =
  ({
    service,
    endpoints,
    deliveries,
    queues,
  }: Deps): RouteHandler<typeof routes.resendFailedDeliveries> =>
  async ({ businessid, params, body, cause }) => {
    const endpoint = await findEnabledEndpoint(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    const { id } = endpoint.value;
    const since = body.since === undefined ? new Date(0) : new Date(body.since);
    const outcome = await deliveries.resendFailed(id, since, cause.now);
    await queues.restart(id, cause.now);
    announceDue(service, [id]);
    return ok({ data: outcome });
  };
