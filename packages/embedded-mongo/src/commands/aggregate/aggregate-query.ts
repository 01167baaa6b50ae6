import { encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { findRows } from "../../query/find-rows.ts";
import type { Query } from "../../query/find-rows.ts";
import { decodedRows } from "../../query/stream.ts";
import { compileAggregation } from "../../semantics/index.ts";
import type { Leading } from "../../semantics/index.ts";
import type { Call } from "../command.ts";

/** The number of leading stages that are read as a find. */
function leadingStages(pipeline: readonly Document[]): number {
  const nameAt = (at: number) => Object.keys(pipeline[at] ?? {})[0];
  let at = 0;
  while (nameAt(at) === "$match") at++;
  for (const name of ["$sort", "$skip", "$limit"]) if (nameAt(at) === name) at++;
  return at;
}

export function compilePipelineOf(call: Call, pipeline: readonly Document[]) {
  const { store, db, now, body, deadline } = call;
  const { leading, run } = compileAggregation(pipeline, {
    now,
    variables: body.document("let"),
    checkTime: deadline.check,
    read: (name, filter) =>
      decodedRows(
        findRows(store.catalog.find(db, name), {
          filter: encodeDocument(filter),
          sort: undefined,
          hint: undefined,
          limit: 0,
          variables: undefined,
          now,
          deadline,
        }),
      ),
  });
  return { run, leading: { ...leading, stages: leadingStages(pipeline) } };
}

/** The query of the leading stages. */
export function leadingQuery(call: Call, leading: Leading): Query {
  const { body, deadline, now } = call;
  const { filter, sort, skip, limit } = leading;
  return {
    filter: Object.keys(filter).length === 0 ? undefined : encodeDocument(filter),
    sort,
    hint: body.value("hint"),
    limit: limit === undefined ? 0 : limit + skip,
    variables: body.document("let"),
    now,
    deadline,
  };
}
