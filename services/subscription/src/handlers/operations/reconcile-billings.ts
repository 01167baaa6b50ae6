import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import {
  reconcileStep,
  startReconciliationCounters,
  type RouteHandler,
  type ReconciledEvent,
} from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { findUnissued } from "../../jobs/reconcile-billings.ts";

/** The name of the missing record, as a label of the metric. */
const wanted = "invoice";

export const reconcileBillings = (deps: Deps): RouteHandler<typeof calls.reconcileBillings> => {
  const { service, subscriptions } = deps;
  startReconciliationCounters(service, wanted);
  return async ({ body, cause: { now }, deadline }) => {
    const missingOf = async (billed: readonly ReconciledEvent[]) =>
      findUnissued(deps, billed, { now, deadline });
    const step = await reconcileStep(
      { service, collection: subscriptions.collection, wanted, missingOf },
      { ...body, now },
    );
    return step.ok ? ok({ data: step.value }) : step;
  };
};
