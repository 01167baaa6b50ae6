const blockLength = 12_288;
const waitMs = 250;

/** A listener for each would be too many where tests open many logs. */
const flushes: (() => void)[] = [];
process.once("exit", () => {
  for (const flush of flushes) flush();
});

interface Destination {
  write(lines: string): unknown;
  flushSync(): void;
}

/**
 * Gathers lines into blocks that leave when they are full, after a quarter of a second, and at the
 * end of the process: a line a request would cost a write a request. The buffer of pino's own
 * destination measures itself anew for every line.
 */
export function inBlocks(destination: Destination): Destination {
  let block = "";
  const handOver = () => {
    if (block === "") return;
    destination.write(block);
    block = "";
  };
  const flushSync = () => {
    handOver();
    destination.flushSync();
  };
  setInterval(handOver, waitMs).unref();
  flushes.push(flushSync);
  return {
    write(line) {
      block += line;
      if (block.length >= blockLength) handOver();
    },
    flushSync,
  };
}
