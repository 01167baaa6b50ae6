import type { FieldNames } from "../../bson/field-names.ts";
import { MongoError } from "../../errors.ts";
import type { Document } from "../values/document.ts";
import { newDocument } from "../values/document.ts";
import {
  type ApplyUpdate,
  compileOperatorUpdate,
  type OperatorUpdate,
  type UpdateContext,
  type UpdateOptions,
} from "./compile.ts";
import { withIdFirst } from "./document-id.ts";
import { compilePipelineUpdate } from "./pipeline.ts";
import { compileReplacement } from "./replacement.ts";
import { upsertSeed } from "./upsert.ts";

type UpdateKind = "operators" | "replacement" | "pipeline";

export type Update = {
  readonly kind: UpdateKind;
  /** Returns a new document, or the same object if nothing changed. */
  readonly apply: ApplyUpdate;
  /** The top-level fields that `apply` needs; undefined for the whole document. */
  readonly touches: FieldNames | undefined;
  /** The top-level fields that can change; undefined for any. */
  readonly changes: FieldNames | undefined;
  /** The document that an upsert inserts. `_id` is first if it is set already. */
  readonly insert: (filter: Document, now: Date) => Document;
};

/** Compiles an update: operators, a replacement document, or an aggregation pipeline. */
export function compileUpdate(
  update: Document | readonly Document[],
  options: UpdateOptions = {},
): Update {
  const kind = kindOf(update);
  const { apply, touches, changes } = compileKind(kind, update, options);
  return {
    kind,
    apply,
    touches,
    changes,
    insert: (filter, now) => {
      const context: UpdateContext = { filter, isInsert: true, now };
      return withIdFirst(apply(seedFor(kind, filter), context));
    },
  };
}

function kindOf(update: Document | readonly Document[]): UpdateKind {
  if (Array.isArray(update)) return "pipeline";
  const [first] = Object.keys(update);
  return first?.startsWith("$") === true ? "operators" : "replacement";
}

function compileKind(
  kind: UpdateKind,
  update: Document | readonly Document[],
  options: UpdateOptions,
): OperatorUpdate {
  if (kind === "operators") {
    return compileOperatorUpdate(update as Document, options);
  }
  if ((options.arrayFilters?.length ?? 0) > 0) {
    throw new MongoError(
      "FailedToParse",
      kind === "pipeline"
        ? "arrayFilters may not be specified for pipeline-syle updates"
        : "Cannot specify arrayFilters and a replacement document",
    );
  }
  const apply =
    kind === "pipeline"
      ? compilePipelineUpdate(update as readonly Document[], options.variables)
      : compileReplacement(update as Document);
  return { apply, touches: undefined, changes: undefined };
}

/** The start document of an upsert. A replacement takes only `_id` from the filter. */
function seedFor(kind: UpdateKind, filter: Document): Document {
  const seed = upsertSeed(filter);
  if (kind !== "replacement") return seed;
  const id = newDocument();
  if (seed["_id"] !== undefined) id["_id"] = seed["_id"];
  return id;
}
