import type { BusinessView } from "@malipo/contracts";
import { err, type Fault, notFound, ok, type Result } from "@malipo/core";
import type { Cause } from "@malipo/platform";
import { type Business, type setTerms, viewBusiness } from "../domain/business.ts";
import type { Deps } from "../deps.ts";

/** Every change of a business is known to all gateways when its request is answered. */
export async function changeBusiness(
  { businesses, evictions }: Deps,
  id: string,
  cause: Cause,
  decide: (business: Business) => ReturnType<typeof setTerms>,
): Promise<Result<{ data: BusinessView }, Fault>> {
  const changed = await businesses.change(id, id, cause, decide);
  if (!changed) return err(notFound("business"));
  if (!changed.ok) return changed;
  await evictions.announce(id);
  return ok({ data: viewBusiness(changed.value) });
}
