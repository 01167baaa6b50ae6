import { MongoError } from "../../../errors.ts";
import { compileSort } from "../../sort.ts";
import { compareBson } from "../../values/comparison/compare.ts";
import { isDocument } from "../../values/document.ts";
import { isNumber, toDouble } from "../../values/numbers/numbers.ts";
import { shellText } from "../../values/shell-text.ts";
import { typeName } from "../../values/types.ts";
import type { Accumulator } from "../accumulators.ts";
import {
  type Compile,
  type CompileOperator,
  type Evaluate,
  isNullish,
  named,
  namedOperands,
  type Scope,
} from "../operator.ts";

/*
 * `$firstN`, `$lastN`, `$minN`, `$maxN`, `$top`, `$bottom` and their variants: the first values in
 * some order.
 */

function requireCount(name: string, n: unknown): number {
  const count = isNumber(n) ? toDouble(n) : Number.NaN;
  if (!Number.isSafeInteger(count)) {
    throw new MongoError(
      5787902,
      `Value for 'n' must be of integral type, but found ${shellText(n)}`,
    );
  }
  if (count > 0) return count;
  throw new MongoError(5787908, `'n' must be greater than 0, found ${count} for ${name}`);
}

type Choose = (values: readonly unknown[], n: number) => readonly unknown[];

const least = (values: readonly unknown[], direction: 1 | -1, n: number) =>
  values
    .filter((value) => !isNullish(value))
    .toSorted((a, b) => direction * compareBson(a, b))
    .slice(0, n);

const choices: Readonly<Record<string, Choose>> = {
  $firstN: (values, n) => values.slice(0, n),
  $lastN: (values, n) => values.slice(-n),
  $minN: (values, n) => least(values, 1, n),
  $maxN: (values, n) => least(values, -1, n),
};

function overArray(name: string): CompileOperator {
  const choose = choices[name] as Choose;
  return named(["input", "n"], [], ({ input, n }) => {
    const count = requireCount(name, n);
    if (Array.isArray(input)) return choose(input as unknown[], count);
    throw new MongoError(5788200, `Input must be an array, but found ${typeName(input)}`);
  });
}

export const nElementOperators: Readonly<Record<string, CompileOperator>> = Object.fromEntries(
  Object.keys(choices).map((name) => [name, overArray(name)]),
);

/** An accumulator that keeps some values of a group, and its start state. */
export type GroupAccumulator = {
  readonly start: () => Accumulator;
  readonly evaluate: Evaluate;
};

type CompileAccumulator = (
  name: string,
  operand: unknown,
  compile: Compile,
  scope: Scope,
) => GroupAccumulator;

/** Evaluates `n`. It must be the same for all documents, so it is computed without a document. */
function countOf(name: string, n: unknown, compile: Compile, scope: Scope): number {
  const evaluate = compile(n, scope);
  return requireCount(name, evaluate({ root: {}, now: new Date(), variables: {} }));
}

const keepingFactor = 2;

/**
 * Keeps the values that can still be chosen, and reduces them to `n` when their number has doubled.
 */
function keepCandidates(choose: Choose, n: number, result: (kept: readonly unknown[]) => unknown) {
  return (): Accumulator => {
    let kept: unknown[] = [];
    let isFull = false;
    return {
      add: (value) => {
        kept.push(value);
        if (kept.length <= keepingFactor * n) return;
        kept = [...choose(kept, n)];
        isFull = true;
      },
      isFull: () => isFull,
      result: () => result(choose(kept, n)),
    };
  };
}

const overInput: CompileAccumulator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["input", "n"], []);
  const input = compile(given["input"], scope);
  const n = countOf(name, given["n"], compile, scope);
  return {
    start: keepCandidates(choices[name] as Choose, n, (kept) => kept),
    evaluate: (environment) => input(environment) ?? null,
  };
};

type Ranked = { readonly output: unknown; readonly document: unknown };

const outputs = (kept: readonly unknown[]) => (kept as Ranked[]).map((one) => one.output);

/** `$top` and `$bottom`, of one or of `n`. */
const overSorted: CompileAccumulator = (name, operand, compile, scope) => {
  const many = name.endsWith("N");
  const given = namedOperands(name, operand, ["output", "sortBy", ...(many ? ["n"] : [])], []);
  if (!isDocument(given["sortBy"])) {
    throw new MongoError("FailedToParse", `expected 'sortBy' to be an object in ${name}`);
  }
  const compare = compileSort(given["sortBy"]);
  const n = many ? countOf(name, given["n"], compile, scope) : 1;
  const output = compile(given["output"], scope);
  const choose: Choose = (values, count) => {
    const sorted = (values as Ranked[]).toSorted((a, b) =>
      compare(isDocument(a.document) ? a.document : {}, isDocument(b.document) ? b.document : {}),
    );
    return name.startsWith("$top") ? sorted.slice(0, count) : sorted.slice(-count);
  };
  return {
    start: keepCandidates(choose, n, (kept) => (many ? outputs(kept) : (outputs(kept)[0] ?? null))),
    evaluate: (environment): Ranked => ({
      output: output(environment) ?? null,
      document: environment.root,
    }),
  };
};

export const nElementAccumulators: Readonly<Record<string, CompileAccumulator>> = {
  $firstN: overInput,
  $lastN: overInput,
  $minN: overInput,
  $maxN: overInput,
  $top: overSorted,
  $topN: overSorted,
  $bottom: overSorted,
  $bottomN: overSorted,
};
