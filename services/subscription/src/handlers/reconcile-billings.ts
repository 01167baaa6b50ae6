import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { compareStep, countComparedFromZero, type RouteHandler, type Told } from "@malipo/platform";
import { unissuedAmong } from "../jobs/reconcile-billings.ts";
import type { Deps } from "../deps.ts";

const wanted = "invoice";

export const reconcileBillings = (deps: Deps): RouteHandler<typeof calls.reconcileBillings> => {
  const { service, subscriptions } = deps;
  countComparedFromZero(service, wanted);
  return async ({ body, cause: { now }, deadline }) => {
    const missingOf = async (told: readonly Told[]) => unissuedAmong(deps, told, { now, deadline });
    const compared = await compareStep(
      { service, collection: subscriptions.collection, wanted, missingOf },
      { ...body, now },
    );
    return compared.ok ? ok({ data: compared.value }) : compared;
  };
};
