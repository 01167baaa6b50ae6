/**
 * Tells the benchmark that this server is ready, and ends the server when the benchmark is gone:
 * its input is a pipe that only the benchmark holds.
 */
export function announceReady(facts = {}) {
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`);
  process.stdin.resume().once("close", () => process.exit(0));
  process.once("SIGTERM", () => process.exit(0));
}
