import type { Paging } from "@malipo/contracts";
import { err, type Fault, notFound, ok, type Result } from "@malipo/core";
import type { Cause } from "../outbox/index.ts";
import type { PageRequest } from "../mongo/index.ts";
import type { Change, Entity, Records } from "../records/index.ts";

type View<E, Shown> = (entity: E) => Shown;

/** Creates the handler of a record's details. */
export function createGetHandler<E extends Entity, Shown>(
  records: Records<E>,
  noun: string,
  view: View<E, Shown>,
) {
  return async (request: {
    readonly businessid: string;
    readonly params: { readonly id: string };
  }): Promise<Result<{ data: Shown }, Fault>> => {
    const found = await records.find(request.businessid, request.params.id);
    return found ? ok({ data: view(found.entity) }) : err(notFound(noun));
  };
}

/** Creates the handler of a list without filters. */
export function createListHandler<E extends Entity, Shown>(
  records: Records<E>,
  view: View<E, Shown>,
) {
  return async (request: {
    readonly businessid: string;
    readonly query: PageRequest & { readonly search?: string | undefined };
  }): Promise<Result<{ data: Shown[]; paging: Paging }, Fault>> => {
    const { entities, paging } = await records.page(request.businessid, {}, request.query);
    return ok({ data: entities.map(view), paging });
  };
}

/** Creates the handler of an update; `decide` turns the request into a change or a fault. */
export function createUpdateHandler<E extends Entity, Body, Shown>(
  records: Records<E>,
  noun: string,
  view: View<E, Shown>,
  decide: (entity: E, body: Body, now: Date) => Result<Change<E>, Fault>,
) {
  return async (request: {
    readonly businessid: string;
    readonly params: { readonly id: string };
    readonly body: Body;
    readonly cause: Cause;
  }): Promise<Result<{ data: Shown }, Fault>> => {
    const { businessid, params, body, cause } = request;
    const changed = await records.update(businessid, params.id, cause, (entity) =>
      decide(entity, body, cause.now),
    );
    if (!changed) return err(notFound(noun));
    return changed.ok ? ok({ data: view(changed.value) }) : changed;
  };
}
