import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { reportHealth, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

const manifest = new URL("../../../package.json", import.meta.url);

export const reportSubscriptionHealth =
  ({ service }: Deps): RouteHandler<typeof calls.reportSubscriptionHealth> =>
  async () =>
    ok({ data: await reportHealth(service, manifest) });
