import { parseArguments, findFlagTakenByNpm, usage } from "./terminal/arguments.ts";
import { startLocalSystem } from "./local-system.ts";
import { UserError } from "./terminal/user-error.ts";
import { followParent, listenForStop } from "./terminal/stop-signal.ts";
import { createLogPrinter } from "./terminal/log-printer.ts";
import { formatWelcome } from "./terminal/welcome.ts";

const stopWithinMs = 4900;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const given = parseArguments(process.argv.slice(2));
  if (given.help) {
    print(usage);
    return 0;
  }
  const swallowed = findFlagTakenByNpm(process.env);
  if (swallowed !== undefined) {
    throw new UserError(`Flags go behind "--": npm start -- --${swallowed}`);
  }
  const began = performance.now();
  const stopping = listenForStop();
  followParent(process.env, () => stopping.request());
  // Stopping is bounded by itself; should it hang all the same, the process still goes.
  stopping.signal.addEventListener("abort", () => {
    setTimeout(() => process.exit(1), stopWithinMs).unref();
  });
  print("Starting Malipo…");
  const system = await startLocalSystem({
    dir: given.dir,
    port: given.port,
    fresh: given.fresh,
    isProcessPerService: given.processes,
    logLevel: process.env["LOG_LEVEL"] ?? "info",
    report: print,
    onLogLine: createLogPrinter(given.verbose, print, () => performance.now()),
    signal: stopping.signal,
  });
  print(formatWelcome(system.environment, system.dir, performance.now() - began));
  const failure = await Promise.race([stopping.requested, system.failed]);
  print(failure ?? "Stopping…");
  await system.stop();
  return failure === undefined ? 0 : 1;
}

// A terminal that is gone must not stand in the way of stopping in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

process.exitCode = await main().catch((error: unknown) => {
  const text =
    error instanceof UserError
      ? error.message
      : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${text}\n`);
  return 1;
});
