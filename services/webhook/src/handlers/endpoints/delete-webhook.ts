import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { deleteEndpoint } from "../../domain/endpoint.ts";
import { changeFoundEndpoint } from "../../workflows/find-endpoint.ts";
import { announceDue } from "../../delivery/worker.ts";

export const deleteWebhook =
  ({ service, endpoints, queues }: Deps): RouteHandler<typeof routes.deleteWebhook> =>
  async ({ businessid, params, cause }) => {
    const record = { businessid, id: params.id, cause };
    const changed = await changeFoundEndpoint(endpoints, record, (endpoint) =>
      ok(deleteEndpoint(endpoint, cause.now)),
    );
    if (!changed.ok) return changed;
    const { id } = changed.value;
    await queues.restart(id, cause.now, cause.now);
    announceDue(service, [id]);
    return ok({ data: { _id: id } });
  };
