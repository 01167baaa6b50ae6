import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is gone when this process has ended. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "malipo-test-"));
  process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}
