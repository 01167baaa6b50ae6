import type { BenchPath } from "./path.ts";

export function helpText(paths: readonly BenchPath[]): string {
  const described = paths.map(({ name, measures, baselines, effort }) =>
    [
      `  ${name}`,
      `    measures ${measures}`,
      ...baselines.map((baseline) => `    against ${baseline}`),
      `    ${effort.rounds} rounds of ${effort.seconds} s, ${effort.connections} connections`,
    ].join("\n"),
  );
  return `Measures one path through the system and its baselines, in interleaved rounds of one run.

  npm run bench -- <path> [options]

Paths
${described.join("\n\n")}

Options
  --rounds <n>        number of times that each contender is measured
  --seconds <n>       length of each measurement
  --connections <n>   connections of the load generator, or operations in flight
  --quick             less data and one short round: checks that the path runs, its figures mean little
  --json              prints the report with every sample, as JSON
  --help              prints this text

Figures are medians; the spread in brackets is the distance from the lowest to the highest round.
Ratios compare contenders round by round. Trust ratios and CPU, not absolute rates.
`;
}
