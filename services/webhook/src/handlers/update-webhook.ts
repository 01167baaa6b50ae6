import type { routes } from "@malipo/contracts";
import { err, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { changeEndpoint, viewEndpoint } from "../endpoint.ts";
import { changeEndpointOf, findEndpoint } from "../find-endpoint.ts";
import { refuseUrl } from "../refuse-url.ts";
import { announceDue } from "../worker/worker.ts";

export const handle =
  ({ service, endpoints, queues, rules }: Deps): RouteHandler<typeof routes.updateWebhook> =>
  async ({ businessid, params, body, cause }) => {
    const refusal = refuseUrl(body.url, rules);
    if (refusal) return err(refusal);
    const record = { businessid, id: params.id, cause };
    if (body.backlog === "drop") {
      const found = await findEndpoint(endpoints, businessid, params.id);
      if (!found.ok) return found;
      // Before it is enabled: a worker would send what is not wanted any more.
      await queues.restart(found.value.id, cause.now, cause.now);
    }
    const changed = await changeEndpointOf(endpoints, record, (endpoint) =>
      ok(changeEndpoint(endpoint, body, cause.now)),
    );
    if (!changed.ok) return changed;
    const { id } = changed.value;
    // Whoever mends a receiver's address or enables it wants to see it work.
    if (body.url !== undefined || body.enabled !== undefined) {
      await queues.restart(id, cause.now);
      announceDue(service, [id]);
    }
    const failing = await queues.failingSince([id]);
    return ok({ data: viewEndpoint(changed.value, failing.get(id) ?? null) });
  };
