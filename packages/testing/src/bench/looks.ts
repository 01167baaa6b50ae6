/** How much was done by then, and what the processes had used. */
export interface Look {
  readonly issued: number;
  readonly atMs: number;
  readonly cpuMicros: number;
}

export function between(looks: readonly Look[], from: number, to: number) {
  const start = looks.findLast(({ issued }) => issued <= from) ?? looks[0];
  const end = looks.find(({ issued }) => issued >= to) ?? looks.at(-1);
  if (!start || !end) throw new Error("nothing was issued");
  const issued = end.issued - start.issued;
  return {
    rate: (issued * 1_000) / (end.atMs - start.atMs),
    cpuMicros: (end.cpuMicros - start.cpuMicros) / issued,
  };
}
