import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "malipo-test-";

/** One listener for all: a run makes more folders than a process takes listeners. */
const made: string[] = [];
process.once("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A folder that is gone when the run is over. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}

/**
 * From now on all temporary folders, also those of the processes that are started, lie in one that
 * this process removes: test workers are ended without a chance to tidy up.
 */
export function gatherTemporaryFolders(): void {
  if (!basename(tmpdir()).startsWith(prefix)) process.env["TMPDIR"] = temporaryFolder();
}
