import { MongoError } from "../../errors.ts";
import { compileStages, parseStage } from "../aggregation/compile.ts";
import { letVariables } from "../expression/variables.ts";
import { canonical } from "../values/canonical.ts";
import { boundedDepth, storedDepthMax } from "../values/depth.ts";
import { type Document, getField } from "../values/document.ts";
import { checkIdUnchanged } from "./document-id.ts";
import type { ApplyUpdate } from "./compile.ts";
import { replaceDocument } from "./replacement.ts";

const allowed = new Set([
  "$addFields",
  "$set",
  "$project",
  "$unset",
  "$replaceRoot",
  "$replaceWith",
]);

/** Compiles an update with an aggregation pipeline, which runs on the one document. */
export function compilePipelineUpdate(
  pipeline: readonly Document[],
  variables: Document | undefined,
): ApplyUpdate {
  const stages = (canonical([...pipeline]) as unknown[]).map(parseStage);
  const refused = stages.find(({ name }) => !allowed.has(name));
  if (refused !== undefined) {
    throw new MongoError(
      "InvalidOptions",
      `${refused.name} is not allowed to be used within an update`,
    );
  }
  const values = letVariables(variables);
  const context = {
    scope: { variables: new Set(Object.keys(values)) },
    variables: values,
    read: () => [],
    subPipeline: () => (documents: Iterable<Document>) => documents,
  };
  compileStages(stages, { ...context, now: new Date(0) });
  return (document, { now, isInsert }) => {
    const [result = document] = compileStages(stages, { ...context, now })([document]);
    if (getField(result, "_id") !== undefined) checkIdUnchanged(document, result, isInsert);
    const next = replaceDocument(document, result);
    if (next !== document) boundedDepth(next, storedDepthMax);
    return next;
  };
}
