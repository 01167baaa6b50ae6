import { MongoError } from "../../errors.ts";
import type { Document } from "../values/document.ts";

export function compileExpressionFilter(
  _expression: unknown,
  _options: object,
): (document: Document) => boolean {
  throw new MongoError("BadValue", "$expr is not supported by this server");
}
