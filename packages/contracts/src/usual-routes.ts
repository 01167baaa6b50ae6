import { z } from "zod";
import { route, type RateClass, type ServiceName } from "./route.ts";

interface Noun<View, Draft, Change, Query, Service extends ServiceName> {
  readonly service: Service;
  readonly noun: string;
  readonly plural: string;
  readonly view: View;
  readonly query: Query;
  readonly draft: Draft;
  readonly change: Change;
  /** What the summary of the update adds, where not every field is as simple. */
  readonly changeNote?: string;
  readonly listClass?: RateClass;
  readonly detailsClass?: RateClass;
}

/** The four routes of a noun that businesses create, list, read and change. */
export function usualRoutes<
  View extends z.ZodType,
  Draft extends z.ZodType,
  Change extends z.ZodType,
  Query extends z.ZodType,
  Service extends ServiceName,
>(its: Noun<View, Draft, Change, Query, Service>) {
  const { service, noun, plural, view } = its;
  const named = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const shared = { audience: "public", service, rateClass: "plan" } as const;
  return {
    create: route({
      ...shared,
      verb: `create-${noun}`,
      method: "POST",
      path: `/business/${noun}/create`,
      summary: `Create a ${noun}`,
      body: its.draft,
      reply: { status: 201, message: `${named} created successfully`, data: view },
    }),
    list: route({
      ...shared,
      verb: `list-${plural}`,
      method: "GET",
      path: `/business/${noun}/list`,
      summary: `List ${plural}, newest first`,
      rateClass: its.listClass ?? "plan",
      query: its.query,
      reply: { status: 200, data: z.array(view), paging: "meta" },
    }),
    details: route({
      ...shared,
      verb: `get-${noun}`,
      method: "GET",
      path: `/business/${noun}/details/:id`,
      summary: `One ${noun}`,
      rateClass: its.detailsClass ?? "plan",
      params: { id: noun },
      reply: { status: 200, data: view },
    }),
    update: route({
      ...shared,
      verb: `update-${noun}`,
      method: "PATCH",
      path: `/business/${noun}/update/:id`,
      summary: `Change a ${noun}; only what is sent changes${its.changeNote ?? ""}`,
      params: { id: noun },
      body: its.change,
      reply: { status: 200, message: `${named} updated successfully`, data: view },
    }),
  } as const;
}
