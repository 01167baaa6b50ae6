import { MongoError } from "../../../errors.ts";
import { copyDocument, fieldKey, getField, isDocument } from "../../values/document.ts";
import { typeName } from "../../values/types.ts";
import { type CompileOperator, isNullish, named, namedOperands } from "../operator.ts";

/* Access to fields whose names cannot be written as a path. */

function getFieldOf(operand: Readonly<Record<string, unknown>>): unknown {
  const { field, input } = operand;
  if (typeof field !== "string")
    throw new MongoError(3041704, "$getField requires 'field' to evaluate to type String");
  return isDocument(input) ? getField(input, fieldKey(field)) : input === null ? null : undefined;
}

const getFieldOperator: CompileOperator = (name, operand, compile, scope) => {
  const given =
    isDocument(operand) && operand["field"] !== undefined ? operand : { field: operand };
  const withInput = { input: "$$CURRENT", ...given };
  return named(["field", "input"], [], getFieldOf)(name, withInput, compile, scope);
};

/** The name must be a constant string, or one inside `$literal`. */
function constantName(name: string, given: unknown): string {
  const constant = isDocument(given) && "$literal" in given ? given["$literal"] : given;
  if (typeof constant === "string" && (constant !== given || !constant.startsWith("$"))) {
    return constant;
  }
  throw new MongoError(4161106, `${name} requires 'field' to evaluate to a constant string`);
}

function settingField(removes: boolean): CompileOperator {
  return (name, operand, compile, scope) => {
    const required = removes ? ["field", "input"] : ["field", "input", "value"];
    const given = namedOperands(name, operand, required, []);
    const key = fieldKey(constantName(name, given["field"]));
    const inputOf = compile(given["input"], scope);
    const valueOf = removes ? () => undefined : compile(given["value"], scope);
    return (environment) => {
      const input = inputOf(environment);
      if (isNullish(input)) return null;
      if (!isDocument(input)) {
        throw new MongoError(
          4161105,
          `${name} requires 'input' to evaluate to type Object, found: ${typeName(input)}`,
        );
      }
      const result = copyDocument(input);
      const value = valueOf(environment);
      if (value === undefined) delete result[key];
      else result[key] = value;
      return result;
    };
  };
}

export const fieldOperators: Readonly<Record<string, CompileOperator>> = {
  $getField: getFieldOperator,
  $setField: settingField(false),
  $unsetField: settingField(true),
};
