import type { Buffer } from "node:buffer";
import { encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { numberOf } from "../indexes/specification.ts";

/** The beginning of a pipeline that the store itself answers, and what is left. */
export type SplitPipeline = {
  readonly filter: Document;
  readonly filterBytes: Buffer | undefined;
  readonly sort: Document | undefined;
  readonly skip: number;
  readonly limit: number;
  readonly rest: readonly Document[];
};

export function splitPipeline(pipeline: readonly Document[]): SplitPipeline {
  let at = 0;
  const filters: Document[] = [];
  while (operand(pipeline[at], "$match") !== undefined) {
    filters.push(operand(pipeline[at++], "$match") as Document);
  }
  let sort = operand(pipeline[at], "$sort") as Document | undefined;
  if (sort !== undefined && isPlainSort(sort)) at++;
  else sort = undefined;
  const skip = wholeNumber(operand(pipeline[at], "$skip"), 0);
  if (skip !== undefined) at++;
  const limit = wholeNumber(operand(pipeline[at], "$limit"), 1);
  if (limit !== undefined) at++;
  const filter = filters.length > 1 ? { $and: filters } : (filters[0] ?? {});
  return {
    filter,
    filterBytes: filters.length === 0 ? undefined : encodeDocument(filter),
    sort,
    skip: skip ?? 0,
    limit: limit ?? 0,
    rest: pipeline.slice(at),
  };
}

function operand(stage: Document | undefined, name: string): unknown {
  if (typeof stage !== "object" || stage === null) return undefined;
  const names = Object.keys(stage);
  if (names.length !== 1 || names[0] !== name) return undefined;
  const value = stage[name];
  const isDocument = typeof value === "object" && value !== null && !Array.isArray(value);
  return name === "$skip" || name === "$limit" || isDocument ? value : undefined;
}

function isPlainSort(sort: Document): boolean {
  const directions = Object.values(sort).map(numberOf);
  return directions.length > 0 && directions.every((one) => one === 1 || one === -1);
}

function wholeNumber(value: unknown, least: number): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= least
    ? number
    : undefined;
}
