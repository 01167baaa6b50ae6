import type { BodyOf, routes } from "@malipo/contracts";
import {
  addMs,
  dayMs,
  err,
  type Fault,
  fault,
  notFound,
  ok,
  parseId,
  type Result,
} from "@malipo/core";
import { drawLinkCode, newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { billingContextOf } from "../../domain/lifecycle/change.ts";
import { startSubscription } from "../../domain/lifecycle/new-subscription.ts";
import { resolveOrder } from "../../workflows/resolve-order.ts";
import { planRetired, type Plan } from "../../domain/plan.ts";
import type { Trial } from "../../domain/lifecycle/subscription.ts";
import { keepUsedPlan } from "../../store/plans.ts";
import { viewCreated } from "../../domain/view-subscription.ts";

type Body = BodyOf<typeof routes.createSubscription>;

/** Problems are reported in this order: dates, customer, then plan or products. */
export const createSubscription =
  (deps: Deps): RouteHandler<typeof routes.createSubscription> =>
  async ({ businessid, body, cause, deadline }) => {
    const { now } = cause;
    const problem = dateProblem(body, now);
    if (problem) return err(problem);
    const { customerid, items = [] } = body;
    const [order, plan, business] = await Promise.all([
      resolveOrder(deps, businessid, { customerid, items }, deadline),
      findPlan(deps, businessid, body),
      deps.businesses.get(businessid),
    ]);
    if (!order.ok) return order;
    if (!plan.ok) return plan;
    if (!business.ok) return business;

    const id = newId();
    const [subscriptionno, [code = ""]] = await Promise.all([
      deps.numbering.takeNext(businessid),
      deps.codes.create([{ businessid, recordid: id, draw: () => drawLinkCode("subscription") }]),
    ]);
    const billingcycle = plan.value?.billingcycle ?? body.billingcycle ?? "monthly";
    const context = billingContextOf(business.value, { billingcycle }, { now, hours: deps.hours });
    const { entity, events } = startSubscription(
      businessid,
      { id, subscriptionno, code },
      {
        title: plan.value?.title,
        customerid: order.value.customerid,
        items: plan.value?.items ?? order.value.items,
        billingcycle,
        autorenew: body.autorenew,
        planid: plan.value?.id ?? null,
        trial: trialOf(body, plan.value, now),
        enddate: body.enddate ?? null,
        remark: body.remark || null,
      },
      context,
    );
    const subscription = await deps.subscriptions.insert(entity, events, cause);
    if (plan.value) await keepUsedPlan(deps.plans, plan.value, now);
    return ok({ data: viewCreated(subscription, deps.publicUrl) });
  };

function dateProblem({ trial, enddate }: Body, now: Date): Fault | null {
  if (trial && trial.enddate <= now) return invalid("trial.enddate", "must be in the future");
  if (trial?.startdate && trial.startdate >= trial.enddate) {
    return invalid("trial.startdate", "must be before the trial's enddate");
  }
  if (enddate && enddate <= now) return invalid("enddate", "must be in the future");
  return null;
}

function invalid(path: string, problem: string): Fault {
  return fault("invalid_request", { text: `${path} ${problem}`, fields: [{ path, problem }] });
}

async function findPlan(
  { plans }: Deps,
  businessid: string,
  { planid }: Body,
): Promise<Result<Plan | null, Fault>> {
  if (planid === undefined) return ok(null);
  const id = parseId(planid);
  const found = id && (await plans.find(businessid, id));
  if (!found) return err(notFound("subscription plan"));
  return found.entity.status === "active" ? ok(found.entity) : err(planRetired);
}

/** A trial in the request takes precedence over the trial days of the plan. */
function trialOf({ trial }: Body, plan: Plan | null, now: Date): Trial | null {
  if (trial) return { startdate: trial.startdate ?? now, enddate: trial.enddate };
  const days = plan?.trialdays ?? 0;
  return days > 0 ? { startdate: now, enddate: addMs(now, days * dayMs) } : null;
}
