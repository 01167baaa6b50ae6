import { parseArguments, swallowedFlag, usage } from "./arguments.ts";
import { startLocalSystem } from "./local-system.ts";
import { Refusal } from "./refusal.ts";
import { followParent, stopSignal } from "./stop-signal.ts";
import { showLogLines } from "./terminal.ts";
import { welcome } from "./welcome.ts";

const stopWithinMs = 4900;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const given = parseArguments(process.argv.slice(2));
  if (given.help) {
    print(usage);
    return 0;
  }
  const swallowed = swallowedFlag(process.env);
  if (swallowed !== undefined) {
    throw new Refusal(`Flags go behind "--": npm start -- --${swallowed}`);
  }
  const began = performance.now();
  const stopping = stopSignal();
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
    onLogLine: showLogLines(given.verbose, print, () => performance.now()),
    signal: stopping.signal,
  });
  print(welcome(system.environment, system.dir, performance.now() - began));
  const failure = await Promise.race([stopping.requested, system.failed]);
  print(failure ?? "Stopping…");
  await system.stop();
  return failure === undefined ? 0 : 1;
}

// A terminal that is gone must not stand in the way of stopping in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

process.exitCode = await main().catch((error: unknown) => {
  const text =
    error instanceof Refusal ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${text}\n`);
  return 1;
});
