import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewEndpoint } from "../../domain/endpoint.ts";

export const listWebhooks =
  ({ endpoints, queues }: Deps): RouteHandler<typeof routes.listWebhooks> =>
  async ({ businessid, query }) => {
    const { entities, paging } = await endpoints.page(businessid, { slot: { $gt: 0 } }, query);
    const failing = await queues.failingSince(entities.map(({ id }) => id));
    const data = entities.map((one) => viewEndpoint(one, failing.get(one.id) ?? null));
    return ok({ data, paging });
  };
