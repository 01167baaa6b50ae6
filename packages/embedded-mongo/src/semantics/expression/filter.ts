import type { FilterOptions } from "../filter/compile.ts";
import { isTrue } from "../filter/truth.ts";
import { canonical } from "../values/canonical.ts";
import type { Document } from "../values/document.ts";
import { compile } from "./index.ts";
import { letVariables } from "./variables.ts";

/** `$expr`: an aggregation expression as a filter. */
export function compileExpressionFilter(
  expression: unknown,
  options: FilterOptions,
): (document: Document) => boolean {
  const variables = letVariables(options.variables, options.now);
  const evaluate = compile(canonical(expression), { variables: new Set(Object.keys(variables)) });
  return (root) =>
    isTrue(
      evaluate({ root, now: options.now ?? new Date(), variables, checkTime: options.checkTime }),
    );
}
