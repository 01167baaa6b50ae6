/**
 * Tells the benchmark that this server is ready, and ends the server in order when it is asked to
 * or when the benchmark is gone: its input is a pipe that only the benchmark holds.
 */
export function announceReady(
  facts: Readonly<Record<string, unknown>>,
  close: () => Promise<void> = async () => {},
): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`);
  const end = (): void => void close().finally(() => process.exit(0));
  process.stdin.resume().once("close", end);
  process.once("SIGTERM", end);
}
