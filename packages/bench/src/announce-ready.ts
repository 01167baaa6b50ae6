/** Tells the benchmark that this server is ready, and ends the server in order when asked to. */
export function announceReady(
  facts: Readonly<Record<string, unknown>>,
  close: () => Promise<void> = async () => {},
): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`);
  process.once("SIGTERM", () => void close().finally(() => process.exit(0)));
}
