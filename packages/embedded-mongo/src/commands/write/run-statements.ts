import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";

/** The entry of a failed statement in `writeErrors`. */
function writeError(index: number, error: MongoError): Document {
  const { errorLabels: _, ...extra } = error.extra;
  return { index, code: error.code, errmsg: error.message, ...extra };
}

/** Whether the error ends the whole command and not only one statement. */
function endsCommand(error: unknown): boolean {
  if (!(error instanceof MongoError)) return true;
  return error.labels.length > 0;
}

/** Runs the statements. The first failure ends an ordered list. Returns the write errors. */
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

export function checkBatchSize(count: number): void {
  if (count === 0 || count > limits.writeBatchMax) {
    throw new MongoError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${limits.writeBatchMax}. Got ${count} operations.`,
    );
  }
}
