import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { Buffer } from "node:buffer";

/**
 * A file that must be on disk before clients are answered. The sync takes longer than anything else
 * in a commit, so another thread does it while the next group collects writes.
 */
export class LogFile {
  readonly path: string;
  private opened: number | undefined;
  private isSyncing = false;
  private isClosed = false;

  constructor(path: string) {
    this.path = path;
  }

  get length(): number {
    return fstatSync(this.fd).size;
  }

  write(bytes: Buffer, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.fd, bytes, done, bytes.length - done, position + done);
    }
  }

  /** Returns fewer bytes at the end of the file. */
  read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.fd, bytes, done, length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  /** Calls `done` when all earlier writes are on disk. */
  startSync(done: () => void): void {
    this.isSyncing = true;
    fdatasync(this.fd, (error) => {
      this.isSyncing = false;
      if (this.isClosed) return this.closeFile();
      // After a failed sync the disk may drop the data and report success the next time. Only a new
      // start, which reads the files again, can tell what is stored. So no client is answered and
      // the process ends.
      if (error) throw new Error("the log cannot be synced to disk", { cause: error });
      done();
    });
  }

  syncNow(): void {
    fdatasyncSync(this.fd);
  }

  close(): void {
    this.isClosed = true;
    if (!this.isSyncing) this.closeFile();
  }

  private closeFile(): void {
    if (this.opened !== undefined) closeSync(this.opened);
    this.opened = undefined;
  }

  private get fd(): number {
    this.opened ??= openSync(this.path, constants.O_RDWR | constants.O_CREAT, 0o600);
    return this.opened;
  }
}
