import type { Buffer } from "node:buffer";
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LogFile } from "./log-file.ts";
import { fileOf } from "./redo-epoch.ts";
import type { Epoch } from "./redo-epoch.ts";
import { announcedBytes, headerBytes, isWhole } from "./redo-record.ts";

/**
 * What was written since SQLite's last commit, a record for each group. Each epoch begins at the
 * start of the file that the one before it did not use: until SQLite's commit is on disk, what the
 * last epoch wrote is still needed. Files are written over and over; what is left of older epochs
 * bears their names.
 */
export class RedoLog {
  private readonly files: readonly [LogFile, LogFile];
  private epoch: Epoch;
  private end: number;

  constructor(directory: string, epoch: Epoch) {
    this.files = [new LogFile(join(directory, "redo-0")), new LogFile(join(directory, "redo-1"))];
    this.epoch = epoch;
    this.end = Math.max(...this.files.map(({ length }) => length));
    syncDirectory(directory);
  }

  get file(): LogFile {
    return this.files[fileOf(this.epoch)];
  }

  /** How many bytes there are since the epoch began. */
  get length(): number {
    return this.end;
  }

  begin(epoch: Epoch): void {
    this.epoch = epoch;
    this.end = 0;
  }

  append(record: Buffer): void {
    this.file.write(record, this.end);
    this.end += record.length;
  }

  /** The payloads of the epoch's records, up to the first that is not whole. */
  *payloads(): Generator<Buffer> {
    const { file, end } = this;
    for (let at = 0; at + headerBytes <= end;) {
      const header = file.read(at, headerBytes);
      const length = announcedBytes(header, this.epoch);
      if (length === undefined || at + headerBytes + length > end) return;
      const payload = file.read(at + headerBytes, length);
      if (!isWhole(header, payload)) return;
      yield payload;
      at += headerBytes + length;
    }
  }

  close(): void {
    for (const file of this.files) file.close();
  }

  /** After SQLite has everything: the folder is then SQLite's files alone. */
  remove(): void {
    for (const { path } of this.files) rmSync(path, { force: true });
  }
}

/** So that the files just created are found again. */
function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}
