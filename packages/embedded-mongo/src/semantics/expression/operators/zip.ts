import { MongoError } from "../../../errors.ts";
import { isDocument } from "../../values/document.ts";
import { typeName } from "../../values/types.ts";
import { type CompileOperator, isNullish, namedOperands } from "../operator.ts";

/** Transposes arrays: the first elements of all, the second elements of all, and so on. */
export const zip: CompileOperator = (name, operand, compile, scope) => {
  if (!isDocument(operand)) {
    throw new MongoError(34460, `${name} only supports an object, found ${typeName(operand)}`);
  }
  const given = namedOperands(name, operand, ["inputs"], ["useLongestLength", "defaults"]);
  const { inputs, useLongestLength = false, defaults = [] } = given;
  if (!Array.isArray(inputs) || inputs.length === 0) {
    throw new MongoError(34461, "inputs must be an array of expressions, and not empty");
  }
  if (typeof useLongestLength !== "boolean") {
    throw new MongoError(34463, "useLongestLength must be a bool");
  }
  if (!Array.isArray(defaults)) throw new MongoError(34462, "defaults must be an array");
  if (defaults.length > 0 && !useLongestLength) {
    throw new MongoError(34466, "cannot specify defaults unless useLongestLength is true");
  }
  if (defaults.length > 0 && defaults.length !== inputs.length) {
    throw new MongoError(34467, "defaults and inputs must have the same length");
  }
  const arraysOf = inputs.map((one) => compile(one, scope));
  const defaultsOf = defaults.map((one) => compile(one, scope));
  return (environment) => {
    const arrays = arraysOf.map((one) => one(environment));
    if (arrays.some(isNullish)) return null;
    for (const array of arrays) {
      if (Array.isArray(array)) continue;
      throw new MongoError(
        34468,
        `${name} found a non-array expression in input: ${typeName(array)}`,
      );
    }
    const lists = arrays as unknown[][];
    const lengths = lists.map((list) => list.length);
    const length = useLongestLength ? Math.max(...lengths) : Math.min(...lengths);
    const fillers = defaultsOf.map((one) => one(environment));
    return Array.from({ length }, (_, at) =>
      lists.map((list, from) => (at < list.length ? list[at] : fillers[from]) ?? null),
    );
  };
};
