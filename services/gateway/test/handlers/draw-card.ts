import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { cardRoutes } from "../page-contract.ts";

export const handle = (): RouteHandler<typeof cardRoutes.drawCard> => async () =>
  ok({ bytes: Uint8Array.of(0, 0xff, 0x80) });
