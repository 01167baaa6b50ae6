import { MongoError } from "../../errors.ts";
import { add, divide } from "../values/numbers/arithmetic.ts";
import { compareBson, equalBson } from "../values/comparison/compare.ts";
import { copyDocument, isDocument, newDocument } from "../values/document.ts";
import {
  type BsonNumber,
  double,
  isNumber,
  numberKind,
  toDouble,
} from "../values/numbers/numbers.ts";
import { typeName } from "../values/types.ts";
import { isNullish } from "./operator.ts";

/** Accumulates the values of one group. */
export type Accumulator = {
  readonly add: (value: unknown) => void;
  readonly result: () => unknown;
  /** Whether it drops an older value for each value that it adds. */
  readonly isFull?: () => boolean;
};

/** Sums integers exactly, and doubles with compensation for the rounding error of each addition. */
function sumOf(): { add: (value: BsonNumber) => void; total: () => BsonNumber } {
  let exact: BsonNumber = 0;
  let approximate: { sum: number; lost: number } | undefined;
  const addDouble = (value: number) => {
    const { sum, lost } = approximate ?? { sum: 0, lost: 0 };
    const next = sum + value;
    const error = Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    approximate = { sum: next, lost: Number.isFinite(error) ? lost + error : lost };
  };
  return {
    add: (value) => {
      if (numberKind(value) === "double") return addDouble(toDouble(value));
      const sum = add(exact, value);
      if (sum !== undefined) {
        exact = sum;
      } else {
        addDouble(toDouble(exact));
        addDouble(toDouble(value));
        exact = 0;
      }
    },
    total: () => {
      if (approximate === undefined) return exact;
      const { sum, lost } = approximate;
      return add(exact, double(sum + lost)) ?? double(sum);
    },
  };
}

function sum(): Accumulator {
  const all = sumOf();
  return { add: (value) => isNumber(value) && all.add(value), result: all.total };
}

function average(): Accumulator {
  const all = sumOf();
  let count = 0;
  return {
    add: (value) => {
      if (!isNumber(value)) return;
      all.add(value);
      count += 1;
    },
    result: () => (count === 0 ? null : divide(all.total(), count)),
  };
}

function extreme(direction: 1 | -1): () => Accumulator {
  return () => {
    let best: unknown;
    return {
      add: (value) => {
        if (isNullish(value)) return;
        if (best === undefined || direction * compareBson(value, best) > 0) best = value;
      },
      result: () => (best === undefined ? null : best),
    };
  };
}

function first(): Accumulator {
  let taken: { value: unknown } | undefined;
  return { add: (value) => (taken ??= { value }), result: () => taken?.value ?? null };
}

function last(): Accumulator {
  let taken: unknown;
  return { add: (value) => (taken = value), result: () => taken ?? null };
}

function push(): Accumulator {
  const values: unknown[] = [];
  return { add: (value) => value !== undefined && values.push(value), result: () => values };
}

function addToSet(): Accumulator {
  const values: unknown[] = [];
  const strings = new Set<unknown>();
  return {
    add: (value) => {
      if (value === undefined || strings.has(value)) return;
      if (typeof value === "string") strings.add(value);
      else if (values.some((known) => equalBson(known, value))) return;
      values.push(value);
    },
    result: () => values,
  };
}

function count(): Accumulator {
  let total = 0;
  return { add: () => (total += 1), result: () => total };
}

function mergeObjects(): Accumulator {
  const result = newDocument();
  return {
    add: (value) => {
      if (isNullish(value)) return;
      if (!isDocument(value)) {
        throw new MongoError(
          40400,
          `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
        );
      }
      Object.assign(result, copyDocument(value));
    },
    result: () => result,
  };
}

function deviation(sample: boolean): () => Accumulator {
  return () => {
    let n = 0;
    let mean = 0;
    let squares = 0;
    return {
      add: (value) => {
        if (!isNumber(value)) return;
        n += 1;
        const delta = toDouble(value) - mean;
        mean += delta / n;
        squares += delta * (toDouble(value) - mean);
      },
      result: () => {
        const divisor = sample ? n - 1 : n;
        return divisor <= 0 ? null : double(Math.sqrt(squares / divisor));
      },
    };
  };
}

export const accumulators: Readonly<Record<string, () => Accumulator>> = {
  $sum: sum,
  $avg: average,
  $min: extreme(-1),
  $max: extreme(1),
  $first: first,
  $last: last,
  $push: push,
  $addToSet: addToSet,
  $count: count,
  $mergeObjects: mergeObjects,
  $stdDevPop: deviation(false),
  $stdDevSamp: deviation(true),
};
