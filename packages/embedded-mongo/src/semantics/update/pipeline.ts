import { MongoError } from "../../errors.ts";
import type { Document } from "../values/document.ts";
import type { ApplyUpdate } from "./compile.ts";

export function compilePipelineUpdate(
  _stages: readonly Document[],
  _variables: Document | undefined,
): ApplyUpdate {
  throw new MongoError("BadValue", "pipeline updates are not supported by this server");
}
