import type { BusinessView } from "@malipo/contracts";
import type { Fault, Result } from "@malipo/core";
import type { Deps } from "../deps.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

/** Fetches the business of each subscription, each business once. */
export async function fetchBusinesses(
  { businesses }: Pick<Deps, "businesses">,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<string, Result<BusinessView, Fault>>> {
  const ids = [...new Set(subscriptions.map(({ businessid }) => businessid))];
  return new Map(await Promise.all(ids.map(async (id) => [id, await businesses.get(id)] as const)));
}
