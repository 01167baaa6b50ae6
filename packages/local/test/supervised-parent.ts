// Supervises two programs until it is killed: node supervised-parent.ts <folder> <port> <port>
import { createFolder, folderAt } from "../src/folder/folder.ts";
import { openLogFiles } from "../src/supervisor/log-files.ts";
import { runPlan } from "../src/run-plan.ts";
import { listener } from "./listener.ts";

const [path = "", first = "", second = ""] = process.argv.slice(2);
const folder = folderAt(path);
createFolder(folder);
const logs = openLogFiles(folder.logs, () => undefined);
const groups = [
  [listener("polite", Number(first), "exits")],
  [listener("stubborn", Number(second), "ignores it")],
];
const running = runPlan({ groups }, folder, logs, () => undefined);
await running.ready();
const pids = running.processes().map(({ pid }) => pid);
let reported: number | undefined;
setInterval(() => {
  const guard = running.guard();
  if (guard !== reported) process.stdout.write(`${JSON.stringify({ pids, guard })}\n`);
  reported = guard;
}, 10);
