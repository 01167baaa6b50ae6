import { Gauge, type Registry } from "prom-client";
import { inTime } from "./in-time.ts";

/** Several scrapers, and the gauges of one lookup, share what it found. */
const freshMs = 5_000;
const patienceMs = 2_000;

/** Looks again only when what was found is older than a few seconds; nobody waits long. */
export function recently<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let found: Promise<Found> | undefined;
  return () => {
    const nowMs = performance.now();
    if (found && nowMs - lookedAtMs < freshMs) return found;
    lookedAtMs = nowMs;
    found = inTime(look(), patienceMs);
    return found;
  };
}

type Labels = Readonly<Record<string, string>>;

interface Lookup {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** A gauge whose values are looked up when somebody asks; what cannot be known now is not told. */
export function gaugeOnScrape(
  registry: Registry,
  { name, help, labelNames = [] }: Lookup,
  look: () => Promise<readonly (readonly [Labels, number])[]>,
): void {
  const found = recently(look);
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    async collect() {
      const values = await found().catch(() => []);
      this.reset();
      // A gauge without labels begins at nought again, which would be an answer.
      if (labelNames.length === 0) this.remove();
      for (const [labels, value] of values) this.set(labels, value);
    },
  });
  registry.registerMetric(gauge);
}
