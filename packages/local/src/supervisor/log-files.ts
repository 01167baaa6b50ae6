import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";

/** For each program. The previous file is kept too, so the disk holds twice as much. */
const fileBytesMax = 16 * 1024 * 1024;
/** The most that is read at once. Lines before that are only in the file. */
const readBytesMax = 1024 * 1024;
const readIntervalMs = 250;

export interface LogFiles {
  /** Returns a file descriptor for the output of the program. */
  open(name: string): number;
  pathOf(name: string): string;
  close(): void;
}

interface LogFile {
  readonly name: string;
  readonly path: string;
  readonly descriptor: number;
  offset: number;
  unfinished: string;
}

/**
 * Programs write to their files directly: logging costs them one file write, and no program waits
 * for this process. This process reads the new lines four times a second.
 */
export function openLogFiles(
  folder: string,
  onLine: (name: string, line: string) => void,
): LogFiles {
  const files: LogFile[] = [];
  const readNewLines = (): void => {
    for (const file of files) {
      for (const line of takeNewLines(file)) onLine(file.name, line);
      rotateWhenFull(file);
    }
  };
  const timer = setInterval(readNewLines, readIntervalMs);
  return {
    open: (name) => {
      const path = join(folder, `${name}.log`);
      if (existsSync(path)) renameSync(path, `${path}.1`);
      const descriptor = openSync(path, "a+", 0o600);
      files.push({ name, path, descriptor, offset: 0, unfinished: "" });
      return descriptor;
    },
    pathOf: (name) => join(folder, `${name}.log`),
    close: () => {
      clearInterval(timer);
      readNewLines();
      for (const file of files) closeSync(file.descriptor);
      files.length = 0;
    },
  };
}

function takeNewLines(file: LogFile): string[] {
  const { size } = fstatSync(file.descriptor);
  if (size - file.offset > readBytesMax) {
    file.offset = size - readBytesMax;
    file.unfinished = "";
  }
  if (size <= file.offset) return [];
  const chunk = Buffer.alloc(size - file.offset);
  const read = readSync(file.descriptor, chunk, 0, chunk.length, file.offset);
  file.offset += read;
  const lines = (file.unfinished + chunk.toString("utf8", 0, read)).split("\n");
  file.unfinished = lines.pop() ?? "";
  return lines;
}

/**
 * Programs keep the file open for appending, so it is copied and truncated, not renamed. Lines
 * written between the two steps are lost.
 */
function rotateWhenFull(file: LogFile): void {
  if (fstatSync(file.descriptor).size < fileBytesMax) return;
  copyFileSync(file.path, `${file.path}.1`);
  ftruncateSync(file.descriptor, 0);
  file.offset = 0;
}
