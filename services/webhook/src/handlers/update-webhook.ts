import type { routes } from "@malipo/contracts";
import { err, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { changeEndpoint, viewEndpoint } from "../domain/endpoint.ts";
import { changeEndpointOf, findEndpoint } from "../workflows/find-endpoint.ts";
import { refuseUrl } from "../workflows/refuse-url.ts";
import { announceDue } from "../delivery/worker.ts";

export const updateWebhook =
  ({ service, endpoints, queues, rules }: Deps): RouteHandler<typeof routes.updateWebhook> =>
  async ({ businessid, params, body, cause }) => {
    const refusal = refuseUrl(body.url, rules);
    if (refusal) return err(refusal);
    const record = { businessid, id: params.id, cause };
    const isDropping = body.backlog === "drop";
    if (isDropping) {
      const found = await findEndpoint(endpoints, businessid, params.id);
      if (!found.ok) return found;
      // Before it is enabled: a worker would send what is not wanted any more.
      if (!found.value.enabled) await queues.restart(found.value.id, cause.now, cause.now);
    }
    const changed = await changeEndpointOf(endpoints, record, (endpoint) =>
      ok(changeEndpoint(endpoint, body, cause.now)),
    );
    if (!changed.ok) return changed;
    const { id } = changed.value;
    // Whoever mends a receiver's address or enables it wants to see it work.
    if (body.url !== undefined || body.enabled !== undefined) {
      // Repeated, the change has the moment of its first time: what came since is wanted.
      await queues.restart(id, cause.now, isDropping ? changed.value.updatedat : undefined);
      announceDue(service, [id]);
    }
    const failing = await queues.failingSince([id]);
    return ok({ data: viewEndpoint(changed.value, failing.get(id) ?? null) });
  };
