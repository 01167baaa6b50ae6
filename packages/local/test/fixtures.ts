import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { identifyProcess } from "../src/supervisor/process-identity.ts";
import { createFolder, folderAt, type Folder } from "../src/folder/folder.ts";

/** A folder that is deleted after the test. */
export function temporaryFolder(): Folder {
  const folder = folderAt(mkdtempSync(join(tmpdir(), "malipo-local-")));
  onTestFinished(() => rmSync(folder.path, { recursive: true, force: true }));
  createFolder(folder);
  return folder;
}

/** A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}
