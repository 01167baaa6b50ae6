import { parseArguments, findFlagTakenByNpm, usage } from "./terminal/arguments.ts";
import { startLocalSystem } from "./local-system.ts";
import { UserError } from "./terminal/user-error.ts";
import { followParent, listenForStop } from "./terminal/stop-signal.ts";
import { createLogPrinter } from "./terminal/log-printer.ts";
import { formatWelcome } from "./terminal/welcome.ts";

const exitTimeoutMs = 4900;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const given = parseArguments(process.argv.slice(2));
  if (given.help) {
    print(usage);
    return 0;
  }
  const takenByNpm = findFlagTakenByNpm(process.env);
  if (takenByNpm !== undefined) {
    throw new UserError(`Write flags behind "--": npm start -- --${takenByNpm}`);
  }
  const began = performance.now();
  const stopping = listenForStop();
  followParent(process.env, () => stopping.request());
  // Every step of stopping has a timeout. This is the last resort if one hangs all the same.
  stopping.signal.addEventListener("abort", () => {
    setTimeout(() => process.exit(1), exitTimeoutMs).unref();
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

// Writing to a closed terminal must not interrupt an orderly stop.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

process.exitCode = await main().catch((error: unknown) => {
  const text =
    error instanceof UserError
      ? error.message
      : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${text}\n`);
  return 1;
});
