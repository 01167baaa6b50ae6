import { serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { smallDocuments, values } from "../../test/support/arbitrary-values.ts";
import { MongoError } from "../errors.ts";
import {
  compileFilter,
  compilePipeline,
  compileProjection,
  compileSort,
  compileUpdate,
  decode,
  encode,
  upsertSeed,
} from "./index.ts";
import type { Document } from "./index.ts";

/* Requests with known words in invalid places. Each must succeed or throw a MongoError. */

const words =
  "a b a.b a.$ a.$[] a.$[e] _id input in cond vars initialValue date unit format amount startDate from as " +
  "localField foreignField path boundaries groupBy newRoot size branches to find replacement regex coll " +
  "$set $inc $mul $push $pull $pullAll $pop $addToSet $rename $bit $min $max $currentDate $setOnInsert $unset " +
  "$each $slice $sort $position $and $or $nor $not $elemMatch $in $nin $all $eq $gt $regex $options $size $mod " +
  "$type $exists $expr $bitsAllSet $comment $match $group $project $addFields $unwind $lookup $unionWith " +
  "$facet $bucket $sortByCount $count $limit $skip $replaceRoot $redact $sample $sum $avg $first $add $divide " +
  "$pow $round $cond $switch $let $map $filter $reduce $range $setUnion $getField $arrayToObject $concat " +
  "$substrCP $split $trim $replaceAll $regexFind $dateToString $dateTrunc $dateAdd $convert $toInt $foo";
const names = fc.constantFrom(...words.split(" "));
const leaves = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    1,
    -1,
    2.5,
    null,
    true,
    "a",
    "$a",
    "$$ROOT",
    "$$this",
    "day",
    "%Y",
    /x/,
  ),
  values,
);
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    { weight: 2, arbitrary: leaves },
    {
      weight: 3,
      arbitrary: fc.dictionary(names, tie("value"), { maxKeys: 2, noNullPrototype: true }),
    },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
  ),
})).value;
const requests = fc.dictionary(names, nested, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

/** Runs a request that may be refused. Any error except a `MongoError` fails the test. */
function answered(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
  }
}

test("an invalid request throws a MongoError and no other error", () => {
  const context = { isInsert: false, now: new Date(), filter: { a: 1 } };
  fc.assert(
    fc.property(requests, requests, smallDocuments, (first, second, given) => {
      const document = decode(serialize({ _id: 1, ...given }));
      const [request, other] = [first, second].map((one) => decode(serialize(one))) as [
        Document,
        Document,
      ];
      const update = (one: Document | Document[], arrayFilters?: Document[]) =>
        encode(compileUpdate(one, { arrayFilters }).apply(document, context));
      const pipeline = (...stages: Document[]) =>
        [...compilePipeline(stages, { now: context.now, read: () => [document] })([document])].map(
          encode,
        );
      answered(() => compileFilter(request).matches(document));
      answered(() => compileFilter({ a: request }).matches(document));
      answered(() => update(request, [other]));
      answered(() => update({ $push: { a: request }, $pull: { b: other } }));
      answered(() => update([request]));
      answered(() => upsertSeed(request));
      answered(() => encode(compileProjection(request, { a: 1 })(document)));
      answered(() => encode(compileProjection({ a: request }, { a: 1 })(document)));
      answered(() => pipeline(request, other));
      answered(() => pipeline({ $project: { z: request } }));
      answered(() => [document, document].sort(compileSort(request)));
      expect(document["_id"]).toBe(1);
    }),
    { numRuns: 3000 },
  );
});
