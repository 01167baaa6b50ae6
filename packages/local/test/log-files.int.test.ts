import { readFileSync, statSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { openLogFiles } from "../src/supervisor/log-files.ts";
import { temporaryFolder } from "./fixtures.ts";

function open() {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const files = openLogFiles(folder.logs, (name, line) => lines.push(`${name}: ${line}`));
  return { folder, lines, files };
}

test("log files report whole lines of each program in order, also when a write ends inside a line", () => {
  const { lines, files } = open();
  const [one, two] = [files.open("one"), files.open("two")];
  writeSync(one, "a\nb");
  writeSync(two, "x\n");
  writeSync(one, "c\n");
  files.close();
  expect(lines).toEqual(["one: a", "one: bc", "two: x"]);
});

test("opening a log file keeps the log of the previous run as .log.1", () => {
  const { folder, files } = open();
  writeSync(files.open("one"), "first\n");
  files.close();
  const again = openLogFiles(folder.logs, () => undefined);
  writeSync(again.open("one"), "second\n");
  again.close();
  expect(readFileSync(again.pathOf("one"), "utf8")).toBe("second\n");
  expect(readFileSync(`${again.pathOf("one")}.1`, "utf8")).toBe("first\n");
});

test("a log file above 16 MB is rotated, and its last lines are still reported", () => {
  const { lines, files } = open();
  const descriptor = files.open("one");
  const megabyte = `${"x".repeat(1023)}\n`.repeat(1024);
  for (let count = 0; count < 17; count += 1) writeSync(descriptor, megabyte);
  writeSync(descriptor, "last\n");
  files.close();
  expect(lines.at(-1)).toBe("one: last");
  expect(lines.length).toBeLessThanOrEqual(1026);
  expect(statSync(files.pathOf("one")).size).toBe(0);
});
