import { MongoError } from "../../errors.ts";
import { canonical } from "../values/canonical.ts";
import { type Document, fieldName } from "../values/document.ts";
import { compile } from "./index.ts";

/** Evaluates the variables of a command's `let`. They are constants and are computed once. */
export function letVariables(
  given: Document | undefined,
  now: Date = new Date(),
): Readonly<Record<string, unknown>> {
  const variables: Record<string, unknown> = {};
  for (const key of Object.keys(given ?? {})) {
    const scope = { variables: new Set(Object.keys(variables)) };
    const evaluate = compile(canonical(given?.[key]), scope);
    variables[fieldName(key)] = evaluate({ root: noRoot, now, variables });
  }
  return variables;
}

/** Stands for the document: every access is refused, because `let` allows constants only. */
const noRoot = new Proxy(
  {},
  {
    getOwnPropertyDescriptor: () => {
      throw notConstant();
    },
    get: () => {
      throw notConstant();
    },
  },
);

function notConstant(): MongoError {
  return new MongoError(
    4_890_500,
    "Command let Expression tried to access a field, but this is not allowed because Command let Expressions run before the query examines any documents.",
  );
}
