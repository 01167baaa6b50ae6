import { err, type Fault, fault, notFound, ok, type Result } from "@malipo/core";
import type { Cause } from "@malipo/platform";
import { type Endpoint, isDeleted } from "../domain/endpoint.ts";
import type { Endpoints } from "../store/endpoints.ts";

/** The endpoint as its business sees it: a deleted one is not found. */
export async function findEndpoint(
  endpoints: Endpoints,
  businessid: string,
  id: string,
): Promise<Result<Endpoint, Fault>> {
  const found = await endpoints.find(businessid, id);
  if (!found || isDeleted(found.entity)) return err(notFound("webhook"));
  return ok(found.entity);
}

export async function findEnabledEndpoint(
  endpoints: Endpoints,
  businessid: string,
  id: string,
): Promise<Result<Endpoint, Fault>> {
  const found = await findEndpoint(endpoints, businessid, id);
  if (!found.ok || found.value.enabled) return found;
  return err(fault("conflict", { text: "The webhook is disabled; enable it first" }));
}

/** Changes an endpoint that is not deleted. */
export async function changeFoundEndpoint(
  endpoints: Endpoints,
  { businessid, id, cause }: { businessid: string; id: string; cause: Cause },
  decide: (endpoint: Endpoint) => Result<Endpoint, Fault>,
): Promise<Result<Endpoint, Fault>> {
  const changed = await endpoints.update(businessid, id, cause, (endpoint) => {
    if (isDeleted(endpoint)) return err(notFound("webhook"));
    const decided = decide(endpoint);
    return decided.ok ? ok({ entity: decided.value, events: [] }) : decided;
  });
  return changed ?? err(notFound("webhook"));
}
