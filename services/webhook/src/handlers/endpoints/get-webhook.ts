import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewEndpoint } from "../../domain/endpoint.ts";
import { findEndpoint } from "../../workflows/find-endpoint.ts";

export const getWebhook =
  ({ endpoints, queues }: Deps): RouteHandler<typeof routes.getWebhook> =>
  async ({ businessid, params }) => {
    const found = await findEndpoint(endpoints, businessid, params.id);
    if (!found.ok) return found;
    const { id } = found.value;
    const failing = await queues.failingSince([id]);
    return ok({ data: viewEndpoint(found.value, failing.get(id) ?? null) });
  };
