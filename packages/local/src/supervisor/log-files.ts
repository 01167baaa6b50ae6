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

/** Per program; the one before is kept as well, so twice that on disk. */
const fileBytesMax = 16 * 1024 * 1024;
/** What is looked through at a time; what a flood wrote beyond that stays in the file alone. */
const readBytesMax = 1024 * 1024;
const lookEveryMs = 250;

export interface LogFiles {
  /** A descriptor to give to the program as its output. */
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
 * Programs write to their files themselves, so logging costs them a file write and nothing waits for
 * this process; it reads along, a few times a second.
 */
export function openLogFiles(
  folder: string,
  onLine: (name: string, line: string) => void,
): LogFiles {
  const files: LogFile[] = [];
  const look = (): void => {
    for (const file of files) {
      for (const line of newLines(file)) onLine(file.name, line);
      keepBounded(file);
    }
  };
  const timer = setInterval(look, lookEveryMs);
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
      look();
      for (const file of files) closeSync(file.descriptor);
      files.length = 0;
    },
  };
}

function newLines(file: LogFile): string[] {
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

/** Programs keep the file open for appending, so it is copied and cut rather than renamed; what is written in between is lost. */
function keepBounded(file: LogFile): void {
  if (fstatSync(file.descriptor).size < fileBytesMax) return;
  copyFileSync(file.path, `${file.path}.1`);
  ftruncateSync(file.descriptor, 0);
  file.offset = 0;
}
