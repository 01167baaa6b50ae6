import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copies the folder in the state that a kill at this moment would leave. */
export function killedCopy(dir: string): string {
  const copy = mkdtempSync(join(tmpdir(), "embedded-mongo-killed-"));
  cpSync(dir, copy, { recursive: true });
  return copy;
}
