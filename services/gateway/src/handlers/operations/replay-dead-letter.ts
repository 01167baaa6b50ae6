import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import { replayDeadLetter as publishAgain, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const replayDeadLetter =
  ({ service }: Deps): RouteHandler<typeof routes.replayDeadLetter> =>
  async ({ body: { seq } }) => {
    const { wire, config } = service;
    const found = await publishAgain(wire.nats, config.NAMESPACE, seq);
    if (!found) return err(notFound("dead letter"));
    return ok({ data: { seq } });
  };
