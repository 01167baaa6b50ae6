import type { BusinessView } from "@malipo/contracts";
import { err, type Fault, notFound, ok, type Result } from "@malipo/core";
import type { Cause } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { type Business, type BusinessDecision, viewBusiness } from "../domain/business.ts";

/**
 * Applies a decision to a business. All gateways know the change before the request is answered. They
 * are told of a refused change too: a gateway may have died between the change and the message, and
 * its repetition is refused.
 */
export async function changeBusiness(
  { businesses, principalEviction }: Deps,
  id: string,
  cause: Cause,
  decide: (business: Business) => BusinessDecision,
): Promise<Result<{ data: BusinessView }, Fault>> {
  const changed = await businesses.update(id, id, cause, decide);
  if (!changed) return err(notFound("business"));
  await principalEviction.announce(id);
  if (!changed.ok) return changed;
  return ok({ data: viewBusiness(changed.value) });
}
