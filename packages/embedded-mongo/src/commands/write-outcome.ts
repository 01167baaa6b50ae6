import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";

/** A statement that failed, as it stands in `writeErrors`. */
function writeError(index: number, error: MongoError): Document {
  const { errorLabels: _, ...extra } = error.extra;
  return { index, code: error.code, errmsg: error.message, ...extra };
}

/** Errors that end the whole command instead of one statement. */
function endsCommand(error: unknown): boolean {
  if (!(error instanceof MongoError)) return true;
  return error.labels.length > 0;
}

/** Runs each statement; the first that fails ends an ordered list. */
export function runStatements(
  count: number,
  ordered: boolean,
  run: (index: number) => void,
): Document[] {
  const errors: Document[] = [];
  for (let index = 0; index < count; index++) {
    try {
      run(index);
    } catch (error) {
      if (!(error instanceof MongoError) || endsCommand(error)) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}
