import { runCli } from "./run.ts";

const { stdout, stderr } = process;
for (const stream of [stdout, stderr]) {
  // The reader of a pipe, such as `head`, may close it early. That is not an error.
  stream.on("error", () => process.exit());
}
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  workingFolder: process.cwd(),
  clock: () => new Date(),
  catchInterrupt: () => {
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
