/**
 * MongoDB's query, update, projection, sort and aggregation semantics as pure functions.
 *
 * Documents have the form that `decode` returns: int32 and double are JavaScript numbers (a double
 * whose value is an int32 integer is a bson `Double`), int64 is a `bigint`, decimals are
 * `Decimal128`. Read and write their fields by name through `fieldKey(name)`; list names with
 * `fieldName(key)`. Only `MongoError` is thrown.
 */
export { decode, encode } from "./values/codec/codec.ts";
export { type Document, fieldKey, fieldName } from "./values/document.ts";
export { compareBson, equalBson } from "./values/comparison/compare.ts";
export { indexTuples } from "./index-values.ts";
export { compileFilter } from "./filter/compile.ts";
export { distinctValues } from "./distinct.ts";
export { compileSort, compileSortKeys, parseSort } from "./sort.ts";
export { compileUpdate, type Update } from "./update/index.ts";
export type { UpdateContext } from "./update/compile.ts";
export { upsertSeed } from "./update/upsert.ts";
export { withIdFirst } from "./update/document-id.ts";
export { identicalBson } from "./values/comparison/identical.ts";
export { timestampAt } from "./values/server-timestamp.ts";
export { shellText } from "./values/shell-text.ts";
export { compileProjection } from "./projection/find.ts";
export { compileAggregation, compilePipeline, type Leading } from "./aggregation/compile.ts";
