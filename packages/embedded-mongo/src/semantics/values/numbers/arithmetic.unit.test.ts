import { Decimal128, Double } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { add, divide, multiply, toBigInt } from "./arithmetic.ts";
import { compareNumbers } from "../comparison/compare.ts";
import { decimalOfExact, exactOfDecimal } from "./decimal.ts";
import { numberKind } from "./numbers.ts";

const ints = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const longs = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const decimals = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
    fc.integer({ min: -50, max: 50 }),
  )
  .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`));
const fits = (value: bigint) => value >= -(2n ** 63n) && value < 2n ** 63n;

test("int32 arithmetic is exact and becomes int64 when the result does not fit", () => {
  fc.assert(
    fc.property(ints, ints, (a, b) => {
      for (const [result, exact] of [
        [add(a, b), BigInt(a) + BigInt(b)],
        [multiply(a, b), BigInt(a) * BigInt(b)],
      ] as const) {
        expect(toBigInt(result ?? 0)).toBe(exact);
        const small = exact >= -(2n ** 31n) && exact < 2n ** 31n;
        expect(numberKind(result)).toBe(small ? "int" : "long");
      }
    }),
  );
});

test("int64 arithmetic is exact or reports an overflow", () => {
  fc.assert(
    fc.property(longs, longs, ints, (a, b, c) => {
      expect(add(a, b)).toBe(fits(a + b) ? a + b : undefined);
      expect(multiply(a, c)).toBe(fits(a * BigInt(c)) ? a * BigInt(c) : undefined);
    }),
  );
});

test("arithmetic with a double gives a double", () => {
  expect(add(1, new Double(2))).toEqual(new Double(3));
  expect(multiply(2.5, 2)).toEqual(new Double(5));
  expect(divide(6, 3)).toEqual(new Double(2));
  expect(divide(1, 4n)).toBe(0.25);
});

test("a decimal converts to its exact value and back", () => {
  fc.assert(
    fc.property(decimals, (value) => {
      expect(decimalOfExact(exactOfDecimal(value)).toString()).toBe(value.toString());
    }),
  );
});

test.each([
  ["0.1", "0.2", "0.3"],
  ["1.10", "1", "2.10"],
  ["9999999999999999999999999999999999", "1", "1.000000000000000000000000000000000E+34"],
  ["Infinity", "-Infinity", "NaN"],
  ["1E+6111", "1E-6176", "1.000000000000000000000000000000000E+6111"],
])("decimal addition: %s + %s = %s", (a, b, sum) => {
  expect(String(add(Decimal128.fromString(a), Decimal128.fromString(b)))).toBe(sum);
});

test.each([
  ["1", "3", "0.3333333333333333333333333333333333"],
  ["2", "3", "0.6666666666666666666666666666666667"],
  ["1", "4", "0.25"],
  ["-6", "3", "-2"],
])("decimal division: %s / %s = %s", (a, b, quotient) => {
  expect(String(divide(Decimal128.fromString(a), Decimal128.fromString(b)))).toBe(quotient);
});

test("adding a decimal and its negation restores the value", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.integer({ min: -1e9, max: 1e9 }),
      (a, b) => {
        const [x, y] = [Decimal128.fromString(`${a}E-2`), Decimal128.fromString(`${b}E-2`)];
        const sum = add(x, y) ?? 0;
        const back = add(sum, multiply(y, -1) ?? 0) ?? 0;
        expect(compareNumbers(back, x)).toBe(0);
      },
    ),
  );
});
