/** Tells the benchmark that this server is ready; a plain kill ends it. */
export function announceReady(facts = {}) {
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`);
  process.once("SIGTERM", () => process.exit(0));
}
