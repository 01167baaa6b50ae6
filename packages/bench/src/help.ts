import type { BenchPath } from "./path.ts";

export function helpText(paths: readonly BenchPath[]): string {
  const described = paths.map(({ name, asks, baselines, effort }) =>
    [
      `  ${name}`,
      `    asks ${asks}`,
      ...baselines.map((baseline) => `    beside ${baseline}`),
      `    ${effort.rounds} rounds of ${effort.seconds} s, ${effort.connections} connections`,
    ].join("\n"),
  );
  return `Measures one path through the system beside its baselines, in interleaved rounds of one run.

  npm run bench -- <path> [options]

Paths
${described.join("\n\n")}

Options
  --rounds <n>        how often each contender is measured
  --seconds <n>       how long each time
  --connections <n>   connections of the load, or operations in flight
  --quick             smaller data and one short round: a look, not a measurement
  --json              the report with every sample, as JSON
  --help              this text

Figures are medians; the spread in brackets is the distance from the lowest to the highest round.
Ratios compare contenders round by round. Trust ratios and CPU, not absolute rates.
`;
}
