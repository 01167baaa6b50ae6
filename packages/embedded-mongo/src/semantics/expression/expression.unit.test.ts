import { Decimal128, Double, Long, ObjectId, serialize } from "bson";
import { expect, test } from "vitest";
import { canonical } from "../values/canonical.ts";
import { decode, encode } from "../values/codec/codec.ts";
import { compile } from "./index.ts";

const date = new Date("2024-02-29T22:14:15.678Z");
const root = decode(
  serialize({
    a: 2,
    t: "héllo",
    d: date,
    n: null,
    arr: [1, 2, 3],
    objs: [{ k: 1 }, { j: 1 }, { k: 2 }],
    id: new ObjectId("65a000000000000000000001"),
  }),
);
const evaluate = (expression: unknown) =>
  compile(canonical(expression))({ root, now: date, variables: {} });
const json = (text: string): unknown => JSON.parse(text);
/** The stored bytes of a value. A missing value has none. */
const bytes = (value: unknown) =>
  value === undefined ? "" : Buffer.from(encode({ v: value })).toString("hex");
const long = (value: number) => Long.fromNumber(value);

test.each<[unknown, unknown]>([
  ["$objs.k", [1, 2]],
  ["$$ROOT.a", 2],
  ["$$NOW", date],
  ["$zz", undefined],
  [{ x: "$zz", y: "$a" }, { y: 2 }],
  [["$zz"], [null]],
  [{ $literal: "$a" }, "$a"],
  [{ $add: [1, 2] }, 3],
  [{ $add: ["$a", "$zz"] }, null],
  [{ $add: [2 ** 31 - 1, 1] }, long(2 ** 31)],
  [{ $add: [1, new Double(1)] }, new Double(2)],
  [{ $add: ["$d", 1000] }, new Date(date.getTime() + 1000)],
  [{ $add: [Decimal128.fromString("0.1"), 1] }, Decimal128.fromString("1.1")],
  [{ $add: [Long.MAX_VALUE, 1] }, 2 ** 63],
  [{ $subtract: ["$d", "$d"] }, long(0)],
  [{ $subtract: [1, 2] }, -1],
  [{ $multiply: [65536, 65536] }, long(2 ** 32)],
  [{ $divide: [6, 3] }, new Double(2)],
  [{ $mod: [-7, 3] }, -1],
  [{ $mod: [7, 2.5] }, new Double(2)],
  [{ $abs: -5 }, 5],
  [{ $abs: -(2 ** 31) }, long(2 ** 31)],
  [{ $ceil: 1.2 }, new Double(2)],
  [{ $floor: -1.2 }, new Double(-2)],
  [{ $round: 2.5 }, new Double(2)],
  [{ $round: [12.345, 1] }, 12.3],
  [{ $round: [155, -1] }, 160],
  [{ $trunc: [12.99, 1] }, 12.9],
  [{ $pow: [2, 3] }, 8],
  [{ $pow: [2, -1] }, 0.5],
  [{ $sqrt: 9 }, new Double(3)],
  [{ $cmp: ["x", 1] }, 1],
  [{ $eq: [1, new Double(1)] }, true],
  [{ $lt: ["$zz", null] }, true],
  [{ $and: [1, "x", []] }, true],
  [{ $or: [0, null, "$zz"] }, false],
  [{ $not: [0] }, true],
  [{ $cond: ["$n", 1, 2] }, 2],
  [{ $cond: json('{ "if": true, "then": 1, "else": { "$divide": [1, 0] } }') }, 1],
  [{ $ifNull: ["$n", "$zz", "x"] }, "x"],
  [{ $switch: { branches: [json('{ "case": false, "then": 1 }')], default: 2 } }, 2],
  [{ $let: { vars: { x: 5, y: "$a" }, in: { $add: ["$$x", "$$y"] } } }, 7],
  [{ $map: { input: "$arr", as: "e", in: { $multiply: ["$$e", "$a"] } } }, [2, 4, 6]],
  [{ $filter: { input: "$arr", cond: { $gt: ["$$this", 1] }, limit: 1 } }, [2]],
  [{ $reduce: { input: "$arr", initialValue: 0, in: { $add: ["$$value", "$$this"] } } }, 6],
  [{ $arrayElemAt: ["$arr", -1] }, 3],
  [{ $arrayElemAt: ["$arr", 9] }, undefined],
  [{ $first: "$arr" }, 1],
  [{ $slice: ["$arr", 1, 5] }, [2, 3]],
  [{ $slice: ["$arr", -2] }, [2, 3]],
  [{ $concatArrays: ["$arr", [4]] }, [1, 2, 3, 4]],
  [{ $in: [new Double(2), "$arr"] }, true],
  [{ $indexOfArray: ["$arr", 3] }, 2],
  [{ $range: [0, 5, 2] }, [0, 2, 4]],
  [{ $reverseArray: "$arr" }, [3, 2, 1]],
  [{ $size: "$arr" }, 3],
  [{ $isArray: ["$arr"] }, true],
  [{ $objectToArray: { x: 1 } }, [{ k: "x", v: 1 }]],
  [
    {
      $arrayToObject: [
        [
          ["x", 1],
          ["y", 2],
        ],
      ],
    },
    { x: 1, y: 2 },
  ],
  [{ $mergeObjects: [{ a: 1, b: 1 }, "$n", { b: 2 }] }, { a: 1, b: 2 }],
  [{ $sortArray: { input: "$arr", sortBy: -1 } }, [3, 2, 1]],
  [
    {
      $setUnion: [
        [1, 2],
        [2, 3],
      ],
    },
    [1, 2, 3],
  ],
  [{ $setIntersection: ["$arr", [3, 9, 1]] }, [1, 3]],
  [{ $setDifference: ["$arr", [2]] }, [1, 3]],
  [{ $setIsSubset: [[1], "$arr"] }, true],
  [{ $getField: "a" }, 2],
  [{ $concat: ["a", "$t"] }, "ahéllo"],
  [{ $concat: ["a", "$n"] }, null],
  [{ $toUpper: "$t" }, "HéLLO"],
  [{ $strLenCP: "$t" }, 5],
  [{ $strLenBytes: "$t" }, 6],
  [{ $substrCP: ["$t", 1, 2] }, "él"],
  [{ $substrBytes: ["$t", 3, -1] }, "llo"],
  [{ $split: ["a-b", "-"] }, ["a", "b"]],
  [{ $trim: { input: " \tx " } }, "x"],
  [{ $ltrim: { input: "xxa", chars: "x" } }, "a"],
  [{ $replaceAll: { input: "aXbX", find: "X", replacement: { $literal: "$&" } } }, "a$&b$&"],
  [{ $replaceOne: { input: "aXbX", find: "X", replacement: { $literal: "$&" } } }, "a$&bX"],
  [{ $indexOfCP: ["$t", "l"] }, 2],
  [{ $regexMatch: { input: "Abc", regex: "^a", options: "i" } }, true],
  [{ $regexFind: { input: "xaby", regex: /a(b)/ } }, { match: "ab", idx: 1, captures: ["b"] }],
  [{ $type: "$zz" }, "missing"],
  [{ $type: "$id" }, "objectId"],
  [{ $toString: "$id" }, "65a000000000000000000001"],
  [{ $toInt: "12" }, 12],
  [{ $toLong: 1.9 }, long(1)],
  [{ $toDate: long(5) }, new Date(5)],
  [{ $toDate: "2024-01-02" }, new Date("2024-01-02")],
  [{ $toBool: "false" }, true],
  [{ $convert: { input: "x", to: "int", onError: "bad" } }, "bad"],
  [{ $convert: { input: "$n", to: "int", onNull: "none" } }, "none"],
  [
    { $dateToString: { date: "$d", format: "%Y-%m-%d %H:%M:%S.%L %j %u %V %G" } },
    "2024-02-29 22:14:15.678 060 4 09 2024",
  ],
  [{ $dateToString: { date: "$d", format: "%Y-%m-%d", timezone: "Africa/Nairobi" } }, "2024-03-01"],
  [{ $year: "$d" }, 2024],
  [{ $hour: { date: "$d", timezone: "+03:00" } }, 1],
  [{ $dayOfWeek: "$d" }, 5],
  [{ $isoWeek: new Date("2021-01-03") }, 53],
  [{ $isoWeekYear: new Date("2021-01-03") }, long(2020)],
  [{ $week: new Date("2024-01-06") }, 0],
  [{ $week: new Date("2024-01-07") }, 1],
  [
    { $dateAdd: { startDate: new Date("2024-01-31"), unit: "month", amount: 1 } },
    new Date("2024-02-29"),
  ],
  [
    { $dateSubtract: { startDate: new Date("2024-01-31"), unit: "day", amount: 31 } },
    new Date("2023-12-31"),
  ],
  [{ $dateTrunc: { date: "$d", unit: "month" } }, new Date("2024-02-01")],
  [{ $dateTrunc: { date: "$d", unit: "week" } }, new Date("2024-02-25")],
  [{ $dateTrunc: { date: "$d", unit: "hour", binSize: 6 } }, new Date("2024-02-29T18:00:00Z")],
  [
    {
      $dateDiff: {
        startDate: new Date("2024-01-31"),
        endDate: new Date("2024-02-01"),
        unit: "month",
      },
    },
    long(1),
  ],
  [{ $dateDiff: { startDate: new Date(900), endDate: new Date(1100), unit: "second" } }, long(1)],
  [
    { $dateTrunc: { date: "$d", unit: "day", timezone: "Africa/Nairobi" } },
    new Date("2024-02-29T21:00:00Z"),
  ],
  [
    { $dateTrunc: { date: "$d", unit: "month", timezone: "Africa/Nairobi" } },
    new Date("2024-02-29T21:00:00Z"),
  ],
  [{ $dateTrunc: { date: new Date("2024-05-05"), unit: "quarter" } }, new Date("2024-04-01")],
  [
    {
      $dateTrunc: { date: new Date("2024-03-31T12:00:00Z"), unit: "day", timezone: "Europe/Paris" },
    },
    new Date("2024-03-30T23:00:00Z"),
  ],
  [
    {
      $dateAdd: {
        startDate: new Date("2024-03-30T12:00:00Z"),
        unit: "day",
        amount: 1,
        timezone: "Europe/Paris",
      },
    },
    new Date("2024-03-31T11:00:00Z"),
  ],
  [
    {
      $dateAdd: {
        startDate: new Date("2024-01-30T22:00:00Z"),
        unit: "month",
        amount: 1,
        timezone: "Africa/Nairobi",
      },
    },
    new Date("2024-02-28T22:00:00Z"),
  ],
  [{ $sum: "$arr" }, 6],
  [{ $avg: [1, "x", 2] }, 1.5],
  [{ $max: ["$a", "$n", 9] }, 9],
])("the expression %j evaluates to %j", (expression, expected) => {
  expect(bytes(evaluate(expression))).toBe(bytes(canonical(expected)));
});

test.each<[unknown, number, string]>([
  [{ $foo: 1 }, 168, "Unrecognized expression '$foo'"],
  [{ $function: {} }, 168, "Unrecognized expression '$function'"],
  [{ $add: [1], $x: 1 }, 15983, "exactly one field"],
  ["$$zz", 17276, "Use of undefined variable: zz"],
  ["$", 16872, "not a valid FieldPath"],
  ["$a..b", 15998, "may not be empty"],
  [{ $subtract: [1] }, 16020, "takes exactly 2 arguments. 1 were passed in."],
  [{ $add: ["x", 1] }, 14, "$add only supports numeric or date types, not string"],
  [{ $divide: [1, 0] }, 2, "can't $divide by zero"],
  [{ $cond: [1, 2] }, 16020, "takes exactly 3 arguments"],
  [{ $filter: { input: "$arr", cond: 1, foo: 1 } }, 9, "Unrecognized argument to $filter: foo"],
  [{ $dateToString: { format: "%Y" } }, 9, "Missing 'date'"],
  [{ $dateToString: { date: "$d", format: "%q" } }, 18536, "%q"],
  [{ $dateToString: { date: "$d", timezone: "Mars/Base" } }, 40485, "Mars/Base"],
  [{ $size: "$a" }, 17124, "must be an array"],
  [{ $toInt: "x" }, 241, "Failed to parse number 'x'"],
  [{ $toInt: 2 ** 40 }, 241, "overflow"],
  [{ $range: [0, 1e9] }, 2, "more than"],
  [{ $switch: { branches: [json('{ "case": false, "then": 1 }')] } }, 40066, "no default"],
])("the expression %j is refused with code %i", (expression, code, message) => {
  expect(() => evaluate(expression)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
  );
});
