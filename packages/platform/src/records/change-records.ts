import { type Fault, ok, type Result } from "@malipo/core";
import type { Cause } from "../outbox/event-document.ts";
import { isApplied } from "./operations.ts";
import { VersionConflict } from "./record-errors.ts";
import type { Change, Entity, Records } from "./records.ts";

/**
 * Decides on the record as it is now and saves the outcome. An operation that the record already
 * remembers is looked at before its state: repeated, it is a success and no second effect.
 */
export function changeBy<E extends Entity>({ find, save }: Pick<Records<E>, "find" | "save">) {
  return async (
    businessid: string,
    id: string,
    cause: Cause,
    decide: (entity: E) => Result<Change<E>, Fault>,
  ): Promise<Result<E, Fault> | null> => {
    const found = await find(businessid, id);
    if (!found) return null;
    if (isApplied(found.operations, cause)) return ok(found.entity);
    const decided = decide(found.entity);
    if (!decided.ok) return decided;
    await save(found, decided.value, cause);
    return ok(decided.value.entity);
  };
}

/** Somebody gets through in every round, so this many lost in a row mean that something is wrong. */
const amendTriesMax = 100;

export function amendBy<E extends Entity>({ find, save }: Pick<Records<E>, "find" | "save">) {
  const amend: Records<E>["amend"] = async (businessid, id, cause, decide) => {
    for (let tries = 1; ; tries += 1) {
      const found = await find(businessid, id);
      const change = found && decide(found.entity);
      if (!found || !change) return found && found.entity;
      try {
        await save(found, change, cause);
        return change.entity;
      } catch (error) {
        if (!(error instanceof VersionConflict) || tries === amendTriesMax) throw error;
      }
    }
  };
  return amend;
}
