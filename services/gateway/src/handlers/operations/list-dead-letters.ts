import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { listDeadLetters as readDeadLetters, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const listDeadLetters =
  ({ service }: Deps): RouteHandler<typeof routes.listDeadLetters> =>
  async ({ query }) => {
    const letters = await readDeadLetters(service.wire.nats, service.config.NAMESPACE, query);
    return ok({ data: letters.map((letter) => ({ ...letter, at: letter.at.toISOString() })) });
  };
