import { z } from "zod";
import { type RateClass, route } from "./route.ts";
import type { ServiceName } from "./service-name.ts";

interface CrudResource<View, Draft, Change, Query, Service extends ServiceName> {
  readonly service: Service;
  readonly noun: string;
  readonly plural: string;
  readonly view: View;
  readonly query: Query;
  readonly draft: Draft;
  readonly change: Change;
  /** Ends the summary of the update route, for fields that need an explanation. */
  readonly changeNote?: string;
  readonly listRateClass?: RateClass;
  readonly detailsRateClass?: RateClass;
}

/** The four routes of a record that businesses create, list, read and update. */
export function crudRoutes<
  View extends z.ZodType,
  Draft extends z.ZodType,
  Change extends z.ZodType,
  Query extends z.ZodType,
  Service extends ServiceName,
>(resource: CrudResource<View, Draft, Change, Query, Service>) {
  const { service, noun, plural, view } = resource;
  const named = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const shared = { audience: "public", service, rateClass: "plan" } as const;
  return {
    create: route({
      ...shared,
      verb: `create-${noun}`,
      method: "POST",
      path: `/business/${noun}/create`,
      summary: `Create a ${noun}`,
      body: resource.draft,
      reply: { status: 201, message: `${named} created successfully`, data: view },
    }),
    list: route({
      ...shared,
      verb: `list-${plural}`,
      method: "GET",
      path: `/business/${noun}/list`,
      summary: `List ${plural}, newest first`,
      rateClass: resource.listRateClass ?? "plan",
      query: resource.query,
      reply: { status: 200, data: z.array(view), paging: "meta" },
    }),
    details: route({
      ...shared,
      verb: `get-${noun}`,
      method: "GET",
      path: `/business/${noun}/details/:id`,
      summary: `One ${noun}`,
      rateClass: resource.detailsRateClass ?? "plan",
      params: { id: noun },
      reply: { status: 200, data: view },
    }),
    update: route({
      ...shared,
      verb: `update-${noun}`,
      method: "PATCH",
      path: `/business/${noun}/update/:id`,
      summary: `Change a ${noun}; only what is sent changes${resource.changeNote ?? ""}`,
      params: { id: noun },
      body: resource.change,
      reply: { status: 200, message: `${named} updated successfully`, data: view },
    }),
  } as const;
}
