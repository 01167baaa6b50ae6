import { err, type Fault, notFound, ok, type Result } from "@malipo/core";
import type { Cause, Saved } from "@malipo/platform";
import { bringUpToDate } from "./bring-up-to-date.ts";
import type { Decision } from "../domain/lifecycle/commands.ts";
import type { Deps } from "../deps.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

interface Request {
  readonly businessid: string;
  readonly params: { readonly id: string };
  readonly cause: Cause;
  readonly deadline: Date;
}

/** A command: what was due before it comes first; one that was carried out before is a success again. */
export async function carryOut(
  deps: Deps,
  { businessid, params, cause, deadline }: Request,
  decide: (subscription: Subscription) => Promise<Decision>,
): Promise<Result<{ data: undefined }, Fault>> {
  const { subscriptions } = deps;
  const found = await subscriptions.find(businessid, params.id);
  if (!found) return err(notFound("subscription"));
  if (isDone(found, cause)) return ok({ data: undefined });
  const present = await bringUpToDate(deps, found, cause.now, deadline);
  if (!present.ok) return present;
  const decided = await decide(present.value.entity);
  if (!decided.ok) return decided;
  await subscriptions.save(present.value, decided.value, cause);
  return ok({ data: undefined });
}

function isDone({ operations }: Saved<Subscription>, { operationid }: Cause): boolean {
  return operationid !== undefined && operations.includes(operationid);
}
