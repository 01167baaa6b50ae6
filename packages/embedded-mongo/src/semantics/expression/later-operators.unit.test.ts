import { serialize } from "bson";
import { expect, test } from "vitest";
import { canonical } from "../values/canonical.ts";
import { decode, encode } from "../values/codec/codec.ts";
import { compile } from "./index.ts";
import { letVariables } from "./variables.ts";

const date = (text: string) => new Date(text);
const root = decode(serialize({ a: 2, "x.y": 5, $p: 7, n: null, arr: [3, 1, null, 2] }));
const evaluate = (expression: unknown) =>
  compile(canonical(expression))({ root, now: new Date(), variables: {} });
const bytes = (value: unknown) => Buffer.from(encode({ v: value })).toString("hex");
const parts = (given: object) => ({ $dateFromParts: given });

test.each<[unknown, unknown]>([
  [{ $setField: { field: "x.y", input: { b: 1 }, value: "$a" } }, { b: 1, "x.y": 2 }],
  [{ $setField: { field: { $literal: "$p" }, input: { b: 1 }, value: 1 } }, { b: 1, $p: 1 }],
  [{ $setField: { field: "b", input: { b: 1, c: 2 }, value: "$$REMOVE" } }, { c: 2 }],
  [{ $setField: { field: "b", input: "$n", value: 1 } }, null],
  [{ $setField: { field: "b", input: "$missing", value: 1 } }, null],
  [{ $unsetField: { field: "b", input: { b: 1, c: 2 } } }, { c: 2 }],
  [{ $getField: "x.y" }, 5],
  [
    {
      $zip: {
        inputs: [
          [1, 2, 3],
          ["a", "b"],
        ],
      },
    },
    [
      [1, "a"],
      [2, "b"],
    ],
  ],
  [
    { $zip: { inputs: [[1, 2], ["a"]], useLongestLength: true, defaults: [0, "-"] } },
    [
      [1, "a"],
      [2, "-"],
    ],
  ],
  [
    { $zip: { inputs: [[1, 2], ["a"]], useLongestLength: true } },
    [
      [1, "a"],
      [2, null],
    ],
  ],
  [{ $zip: { inputs: [[1], "$n"] } }, null],
  [parts({ year: 2024 }), date("2024-01-01")],
  [parts({ year: 2024, month: 14, day: 0, hour: 25 }), date("2025-02-01T01:00:00Z")],
  [parts({ year: 2024, month: 2, day: 29, timezone: "Africa/Nairobi" }), date("2024-02-28T21:00Z")],
  [parts({ isoWeekYear: 2021 }), date("2021-01-04")],
  [parts({ isoWeekYear: 2020, isoWeek: 53, isoDayOfWeek: 7 }), date("2021-01-03")],
  [parts({ year: 70 }), date("0070-01-01")],
  [parts({ year: 2024, month: "$n" }), null],
  [parts({ year: 2024, month: "$missing" }), null],
  [{ $firstN: { input: "$arr", n: 2 } }, [3, 1]],
  [{ $lastN: { input: "$arr", n: 2 } }, [null, 2]],
  [{ $minN: { input: "$arr", n: 2 } }, [1, 2]],
  [{ $maxN: { input: "$arr", n: 9 } }, [3, 2, 1]],
])("the expression %j evaluates to %j", (expression, expected) => {
  expect(bytes(evaluate(expression))).toBe(bytes(canonical(expected)));
});

test.each<[unknown, number]>([
  [{ $setField: { field: "$a", input: {}, value: 1 } }, 4161106],
  [{ $setField: { field: "b", input: 1, value: 1 } }, 4161105],
  [{ $setField: { field: "b", input: {} } }, 9],
  [{ $zip: { inputs: [] } }, 34461],
  [{ $zip: { inputs: [[1]], defaults: [1] } }, 34466],
  [{ $zip: { inputs: [1] } }, 34468],
  [parts({ year: 0 }), 40523],
  [parts({ year: 2024, month: 1.5 }), 40515],
  [parts({ year: 2024, isoWeek: 1 }), 9],
  [{ $firstN: { input: "$arr", n: 0 } }, 5787908],
  [{ $firstN: { input: "$arr", n: 1.5 } }, 5787902],
  [{ $firstN: { input: 1, n: 1 } }, 5788200],
  [{ $topN: { input: "$arr", n: 1 } }, 168],
  [{ $rand: 1 }, 3040501],
])("the expression %j is refused with code %i", (expression, code) => {
  expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code }));
});

test("$rand returns varying numbers from 0 to 1", () => {
  const draws = Array.from({ length: 20 }, () => Number(evaluate({ $rand: {} })));
  expect(draws.every((one) => one >= 0 && one < 1)).toBe(true);
  expect(new Set(draws).size).toBeGreaterThan(1);
});

test("letVariables evaluates a command's variables from constants only", () => {
  expect(letVariables({ a: { $add: [1, 1] }, b: { $literal: "$x" }, c: "$$a" })).toEqual({
    a: 2,
    b: "$x",
    c: 2,
  });
  const field = expect.objectContaining({ code: 4_890_500 }) as Error;
  expect(() => letVariables({ a: "$x" })).toThrow(field);
  expect(() => letVariables({ a: { $add: ["$x.y", 1] } })).toThrow(field);
});
