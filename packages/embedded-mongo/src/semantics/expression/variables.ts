import { canonical } from "../values/canonical.ts";
import { type Document, fieldName } from "../values/document.ts";

/** The variables that a command's `let` gives to its expressions. */
export function letVariables(given: Document | undefined): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  return Object.fromEntries(
    Object.keys(given).map((key) => [fieldName(key), canonical(given[key])]),
  );
}
