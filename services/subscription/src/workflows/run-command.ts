import { err, type Fault, notFound, ok, type Result } from "@malipo/core";
import { type Cause, isApplied } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import type { Decision } from "../domain/lifecycle/commands.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";
import { bringUpToDate } from "./bring-up-to-date.ts";

interface CommandRequest {
  readonly businessid: string;
  readonly params: { readonly id: string };
  readonly cause: Cause;
  readonly deadline: Date;
}

/** Applies what is due, then the command. A repeated operation is a success without a second effect. */
export async function runCommand(
  deps: Deps,
  { businessid, params, cause, deadline }: CommandRequest,
  decide: (subscription: Subscription) => Promise<Decision>,
): Promise<Result<{ data: undefined }, Fault>> {
  const { subscriptions } = deps;
  const found = await subscriptions.find(businessid, params.id);
  if (!found) return err(notFound("subscription"));
  if (isApplied(found.operations, cause)) return ok({ data: undefined });
  const current = await bringUpToDate(deps, found, cause.now, deadline);
  if (!current.ok) return current;
  const decided = await decide(current.value.entity);
  if (!decided.ok) return decided;
  await subscriptions.save(current.value, decided.value, cause);
  return ok({ data: undefined });
}
