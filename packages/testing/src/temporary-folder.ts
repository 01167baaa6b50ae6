import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "malipo-test-";

/** One exit listener removes all: a run creates more folders than a process may have listeners. */
const created: string[] = [];
process.once("exit", () => {
  for (const path of created) rmSync(path, { recursive: true, force: true });
});

/** Creates a folder that is removed at the end of the run. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  created.push(path);
  return path;
}

/**
 * Puts all temporary folders that are created later, also those of child processes, into one folder
 * that this process removes. Test workers are ended without a chance to remove their own.
 */
export function gatherTemporaryFolders(): void {
  if (!basename(tmpdir()).startsWith(prefix)) process.env["TMPDIR"] = temporaryFolder();
}
