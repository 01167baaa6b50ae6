import { DatabaseSync } from "node:sqlite";

const sqliteBusy = 5;

export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process. Returns undefined if another process holds the lock. The lock is
 * an SQLite file, because the operating system releases its lock however the holder dies. A file
 * with a process id would stay.
 */
export function lockFolder(path: string): FolderLock | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) {
      return undefined;
    }
    throw error;
  }
  return { release: () => database.close() };
}
