import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { identifyProcess } from "../src/supervisor/process-identity.ts";
import { createFolder, folderAt, type Folder } from "../src/folder/folder.ts";

/** Removed when the test is over. */
export function temporaryFolder(): Folder {
  const folder = folderAt(mkdtempSync(join(tmpdir(), "malipo-local-")));
  onTestFinished(() => rmSync(folder.path, { recursive: true, force: true }));
  createFolder(folder);
  return folder;
}

/** What has ended and only waits to be collected is not alive. */
export function isAlive(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}
