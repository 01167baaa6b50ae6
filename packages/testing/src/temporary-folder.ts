import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "malipo-test-";

/** A folder that is gone when the run is over. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * From now on all temporary folders, also those of the processes that are started, lie in one that
 * this process removes: test workers are ended without a chance to tidy up.
 */
export function gatherTemporaryFolders(): void {
  if (!basename(tmpdir()).startsWith(prefix)) process.env["TMPDIR"] = temporaryFolder();
}
