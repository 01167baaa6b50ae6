import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileName } from "./sqlite.ts";

/**
 * Brings SQLite's log to the disk, which takes longer than anything else in a commit: in another
 * thread, so that the next group is gathered meanwhile.
 */
export class LogSync {
  private readonly path: string;
  private fd: number | undefined;
  private isRunning = false;
  private isClosed = false;

  constructor(directory: string) {
    this.path = join(directory, `${fileName}-wal`);
  }

  /** Calls `done` when all that SQLite has written before is on disk. */
  start(done: () => void): void {
    this.isRunning = true;
    fdatasync(this.opened(), (error) => {
      this.isRunning = false;
      if (this.isClosed) return this.closeFile();
      // What the disk refused once it may forget and then call written: nothing can be said of the
      // data any more before they are read again, so nobody is answered and the process ends.
      if (error) throw new Error("the log cannot be brought to the disk", { cause: error });
      done();
    });
  }

  now(): void {
    fdatasyncSync(this.opened());
  }

  close(): void {
    this.isClosed = true;
    if (!this.isRunning) this.closeFile();
  }

  private closeFile(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private opened(): number {
    this.fd ??= openSync(this.path, "r+");
    return this.fd;
  }
}
