/** Prints the line that the benchmark waits for, and ends this server in order on SIGTERM. */
export function announceReady(
  facts: Readonly<Record<string, unknown>>,
  close: () => Promise<void> = async () => {},
): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`);
  process.once("SIGTERM", () => void close().finally(() => process.exit(0)));
}
