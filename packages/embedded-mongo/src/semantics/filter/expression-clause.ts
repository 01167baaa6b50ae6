import type { FilterOptions } from "./filter-options.ts";
import { isTrue } from "../values/truth.ts";
import { canonical } from "../values/canonical.ts";
import type { Document } from "../values/document.ts";
import { compile } from "../expression/index.ts";
import { letVariables } from "../expression/variables.ts";

/** Compiles `$expr`: an aggregation expression used as a filter. */
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
