import type { Buffer } from "node:buffer";
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LogFile } from "./log-file.ts";
import { fileIndexOf } from "./redo-epoch.ts";
import type { Epoch } from "./redo-epoch.ts";
import { payloadBytesOf, headerBytes, isComplete } from "./redo-record.ts";

/**
 * The writes since SQLite's last commit, one record per group. Each epoch begins at the start of
 * the file that the previous epoch did not use, because the previous file is needed until SQLite's
 * commit is on disk. The files are overwritten again and again. Records left from older epochs are
 * recognised by their epoch.
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
    return this.files[fileIndexOf(this.epoch)];
  }

  /** The bytes written since the epoch began. */
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

  /** The payloads of the epoch's records, up to the first incomplete record. */
  *payloads(): Generator<Buffer> {
    const { file, end } = this;
    for (let at = 0; at + headerBytes <= end;) {
      const header = file.read(at, headerBytes);
      const length = payloadBytesOf(header, this.epoch);
      if (length === undefined || at + headerBytes + length > end) return;
      const payload = file.read(at + headerBytes, length);
      if (!isComplete(header, payload)) return;
      yield payload;
      at += headerBytes + length;
    }
  }

  close(): void {
    for (const file of this.files) file.close();
  }

  /** Deletes the redo files. SQLite must have committed everything. */
  remove(): void {
    for (const { path } of this.files) rmSync(path, { force: true });
  }
}

/** Makes the creation of the files durable. */
function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}
