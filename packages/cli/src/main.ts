import { runCli } from "./run.ts";

const { stdout, stderr } = process;
for (const stream of [stdout, stderr]) {
  // Whoever read along has read enough, as head does.
  stream.on("error", () => process.exit());
}
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  clock: () => new Date(),
  untilInterrupted: () => {
    const interrupting = new AbortController();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => interrupting.abort());
    }
    return interrupting.signal;
  },
  output: {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal: stderr.isTTY,
  },
});
