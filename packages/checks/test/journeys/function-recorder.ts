/**
 * Loaded into a service's process before everything else (`node --import`). Each SIGUSR2 writes a
 * file with the source files that have executed a function since the SIGUSR2 before.
 */
import { renameSync, writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

const folder = process.env["FUNCTION_RECORDS"] ?? "";
const session = new Session();

/** Importing a module executes its top-level code; only the functions in it count. */
const isTopLevel = ({ functionName, ranges }: Profiler.FunctionCoverage): boolean =>
  functionName === "" && ranges[0]?.startOffset === 0;

const hasExecutedFunction = ({ functions }: Profiler.ScriptCoverage): boolean =>
  functions.some((each) => !isTopLevel(each) && (each.ranges[0]?.count ?? 0) > 0);

async function writeRecord(index: number): Promise<void> {
  // V8 sets its counters back to zero as it hands them out.
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const urls = result.filter(hasExecutedFunction).map(({ url }) => url);
  const file = join(folder, `${process.pid}-${index}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(urls));
  renameSync(`${file}.new`, file);
}

if (isMainThread) {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  let index = 0;
  process.on("SIGUSR2", () => void writeRecord(index++));
}
