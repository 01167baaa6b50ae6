import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { compareStep, type RouteHandler } from "@malipo/platform";
import { unissuedAmong } from "../compare-billings.ts";
import type { Deps } from "../deps.ts";

export const handle =
  (deps: Deps): RouteHandler<typeof calls.compareBillings> =>
  async ({ body, cause: { now }, deadline }) => {
    const compared = await compareStep(
      {
        service: deps.service,
        collection: deps.subscriptions.collection,
        wanted: "invoice",
        missingOf: async (told) => unissuedAmong(deps, told, { now, deadline }),
      },
      { ...body, now },
    );
    return compared.ok ? ok({ data: compared.value }) : compared;
  };
